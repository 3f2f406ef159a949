import { toSeconds } from '@tocsin/api-json';
import type { AuditEntry } from '@tocsin/proto/identity/v1/audit';
import { type Static, Type } from 'typebox';
import { Id, nullable, pageQuery, Timestamp } from './common.ts';
import { Moment, momentsOf } from './moment.ts';

const Action = Type.String({ maxLength: 64, description: 'Name of the action', examples: ['api_key.created'] });
const Actor = Type.String({
  maxLength: 320,
  description:
    'Who acted: a mail address, `service:admin` for the operator, or `oauth_client:` and the id of a program that ended its access',
  examples: ['jane@example.com'],
});

export const AuditQuery = Type.Object({
  ...pageQuery,
  action: Type.Optional(Action),
  actor: Type.Optional(Type.String({ ...Actor, description: 'Who acted, ignoring case' })),
  since: Type.Optional(Type.String({ ...Moment, description: 'Time of the earliest entry, ISO 8601 with an offset' })),
  until: Type.Optional(
    Type.String({ ...Moment, description: 'Time before which the entries were made, ISO 8601 with an offset' }),
  ),
});

export const AuditEntrySchema = Type.Object({
  id: Id,
  action: Action,
  actor: Actor,
  target_id: { ...Id, description: 'The resource: a key, user, invitation, OAuth grant, or the organization' },
  details: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    maxProperties: 50,
    description: 'What was changed; depends on the action, and contains no secret',
    examples: [{ name: 'deploy', permissions: ['monitors:read'], expires_at: null }],
  }),
  address: nullable(Type.String({ maxLength: 64, description: 'IP address of the request; null: not known' })),
  credential_id: nullable({
    ...Id,
    description: 'The API key, OAuth grant or browser session of the request; null: not known',
  }),
  occurred_at: Timestamp,
});

export function toAuditEntryJson(entry: AuditEntry): Static<typeof AuditEntrySchema> {
  return {
    id: entry.id,
    action: entry.action,
    actor: entry.actor,
    target_id: entry.targetId,
    details: JSON.parse(entry.detailsJson),
    address: entry.address || null,
    credential_id: entry.credentialId || null,
    occurred_at: toSeconds(entry.occurredAt),
  };
}

/** Returns the request for a page of entries. */
export function auditRequest({ since, until, ...query }: Static<typeof AuditQuery>) {
  return { ...query, ...momentsOf({ since, until }) };
}
