import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ApiKey } from '@tocsin/proto/identity/v1/api_key';
import { type Static, Type } from 'typebox';
import { Id, Name, nullable, pageQuery, Timestamp } from './common.ts';
import { toSeconds, toSecondsOrNull } from './time.ts';

const Permissions = Type.Array(Type.String(), {
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
};

export const ApiKeyAnswer = Type.Object(fields);

/** The one answer that has the key itself. */
export const ApiKeyCreated = Type.Object({
  ...fields,
  key: Type.String({ description: 'The key. It can not be read again', examples: ['tocsin_…'] }),
});

export const ApiKeyCreate = Type.Object({
  name: Name,
  permissions: Permissions,
  expires_at: Type.Optional(
    nullable(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
        'x-pattern-words': 'must be an ISO 8601 time such as 2027-01-31T00:00:00Z',
        description: 'Absent or null: never',
      }),
    ),
  ),
});

export function apiKeyAnswer(key: ApiKey): Static<typeof ApiKeyAnswer> {
  return {
    id: key.id,
    name: key.name,
    permissions: key.permissions,
    expires_at: toSecondsOrNull(key.expiresAt),
    last_used_at: toSecondsOrNull(key.lastUsedAt),
    inserted_at: toSeconds(key.createdAt),
  };
}

export function newApiKey({ name, permissions, expires_at }: Static<typeof ApiKeyCreate>) {
  return { name, permissions, ...(expires_at && { expiresAt: timestampFromDate(new Date(expires_at)) }) };
}
