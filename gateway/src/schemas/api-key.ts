import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import type { ApiKey } from '@tocsin/proto/identity/v1/api_key';
import { type Static, Type } from 'typebox';
import { Id, Name, nullable, pageQuery, Timestamp } from './common.ts';
import { Moment, momentsOf } from './moment.ts';

const Permissions = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 32,
  description: '`<resource>:read` or `<resource>:read_write`; at most what the caller holds itself',
  examples: [['monitors:read_write', 'status_pages:read']],
});

export const ApiKeyQuery = Type.Object(pageQuery);

const fields = {
  id: Id,
  name: Name,
  permissions: Permissions,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  inserted_at: Timestamp,
  created_by: nullable(
    Type.String({
      maxLength: 320,
      description: 'Who created it: a mail address, or `service:admin` for the operator; null: not known',
    }),
  ),
  created_by_key_id: nullable({
    ...Id,
    description: 'The key that created it; null for one that the operator or an access token created',
  }),
};

export const ApiKeySchema = Type.Object(fields);

/** Response to the creation of a key, the only response that contains the key. */
export const ApiKeyCreated = Type.Object({
  ...fields,
  key: Type.String({ maxLength: 64, description: 'The key. It cannot be read again', examples: ['tocsin_…'] }),
});

export const ApiKeyCreate = Type.Object({
  name: Name,
  permissions: Permissions,
  expires_at: Type.Optional(nullable(Moment)),
});

export function toApiKeyJson(key: ApiKey): Static<typeof ApiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    expires_at: toSecondsOrNull(key.expiresAt),
    last_used_at: toSecondsOrNull(key.lastUsedAt),
    inserted_at: toSeconds(key.createdAt),
    created_by: key.createdBy || null,
    created_by_key_id: key.createdByKeyId || null,
  };
}

export function newApiKey({ name, permissions, expires_at }: Static<typeof ApiKeyCreate>) {
  const { expires_at: expiresAt } = momentsOf({ expires_at });
  return { name, permissions, ...(expiresAt && { expiresAt }) };
}
