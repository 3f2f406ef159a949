import type { Transport } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { Owners } from '../app/ports.ts';

/** Queries identity for owners. */
export function identityOwners(transport: Transport): Owners {
  const identity = createRpcClient(IdentityService, transport);
  return {
    async of(organizationId) {
      try {
        const { owners } = await identity.listOwners({}, forOrganization(organizationId));
        return owners.map(({ id, email }) => ({ id, email }));
      } catch (error) {
        // There is no token for a deleted organization; its mails must not block others.
        if (error instanceof ServiceError && error.kind === 'not_found') return [];
        throw error;
      }
    },
  };
}
