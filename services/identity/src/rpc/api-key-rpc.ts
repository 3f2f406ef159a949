import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import type { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { callerOf, idempotencyIdOf, organizationOf } from '@tocsin/runtime';
import { createApiKey, type KeyCreator } from '../app/create-api-key.ts';
import { getApiKey } from '../app/get-api-key.ts';
import { listApiKeys } from '../app/list-api-keys.ts';
import type { Deps } from '../app/ports.ts';
import { revokeApiKey } from '../app/revoke-api-key.ts';
import { toProtoApiKey } from '../wire/identity.ts';

/** Maximum length of a client address that is stored. */
const MAX_ADDRESS = 64;

export function apiKeyRpc(deps: Deps): ServiceImpl<typeof ApiKeyService> {
  return {
    async listApiKeys({ limit, cursor }, context) {
      const page = { limit: limit || undefined, cursor: cursor || undefined };
      const { keys, nextCursor } = await listApiKeys(deps, organizationOf(context), page);
      return { apiKeys: keys.map(toProtoApiKey), nextCursor: nextCursor ?? '' };
    },

    async getApiKey({ id }, context) {
      return { apiKey: toProtoApiKey(await getApiKey(deps, organizationOf(context), id)) };
    },

    async issueApiKey({ name, permissions, expiresAt }, context) {
      const organizationId = organizationOf(context);
      const wanted = { name, permissions, expiresAt: expiresAt && timestampDate(expiresAt) };
      const about = { organizationId, idempotencyId: idempotencyIdOf(context), creator: creatorOf(context) };
      const { key, ...made } = await createApiKey(deps, { ...wanted, ...about });
      return { apiKey: toProtoApiKey({ ...made, lastUsedAt: undefined }), key };
    },

    async revokeApiKey({ id }, context) {
      const { actor, address, credentialId } = creatorOf(context);
      await revokeApiKey(deps, { organizationId: organizationOf(context), id, actor, address, credentialId });
      return {};
    },
  };
}

/**
 * Returns the caller as the creator of a key. Only a caller with a credential can create keys.
 * @throws ServiceError `forbidden` for other callers.
 */
function creatorOf(context: HandlerContext): KeyCreator & { kind: 'credential' } {
  const caller = callerOf(context);
  if (caller.kind !== 'credential') throw new ServiceError('forbidden', 'only a credential may manage API keys');
  const { credentialId, permissions, actorEmail } = caller;
  // The gateway sends the address of the client.
  const address = context.requestHeader.get('x-forwarded-for')?.slice(0, MAX_ADDRESS) || undefined;
  return { kind: 'credential', actor: actorEmail, credentialId, permissions, address };
}
