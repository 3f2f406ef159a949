import type { Transport } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { createRpcClient, forOrganization, type Logger } from '@tocsin/runtime';
import type { Organizations, Owners } from '../app/ports.ts';

/** Reads the owners of organizations from identity. */
export function identityOwners(transport: Transport): Owners {
  const identity = createRpcClient(IdentityService, transport);
  return {
    async of(organizationId) {
      try {
        const { owners } = await identity.listOwners({}, forOrganization(organizationId));
        return owners.map(({ id, email }) => ({ id, email }));
      } catch (error) {
        // No token is issued for a deleted organization. Its emails must not block the emails of other organizations.
        if (error instanceof ServiceError && error.kind === 'not_found') return [];
        throw error;
      }
    },
  };
}

/** Time limit for a request. It is short, because an email waits for the response. */
const TIMEOUT_MS = 2_000;
const CACHED_MS = 10 * 60_000;
const MAX_CACHED = 10_000;

/** Reads the names of organizations from identity, and caches them. */
export function identityOrganizations(transport: Transport, logger: Logger): Organizations {
  const identity = createRpcClient(IdentityService, transport);
  const cached = new Map<string, { readonly name: string; readonly until: number }>();
  return {
    async nameOf(organizationId) {
      const known = cached.get(organizationId);
      if (known && known.until > Date.now()) return known.name;
      try {
        const options = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
        const { organizationName: name } = await identity.listOwners({}, options);
        if (cached.size >= MAX_CACHED) cached.clear();
        if (name !== '') cached.set(organizationId, { name, until: Date.now() + CACHED_MS });
        return name === '' ? undefined : name;
      } catch (error) {
        logger.warn({ organization_id: organizationId, err: error }, 'a mail does not name its organization');
        return known?.name;
      }
    },
  };
}
