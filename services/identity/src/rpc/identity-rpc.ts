import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { organizationOf, peerAddress } from '@tocsin/runtime';
import { exchangeCredential } from '../app/exchange-credential.ts';
import { exchangeServiceCredential } from '../app/exchange-service-credential.ts';
import { issueServiceToken } from '../app/issue-service-token.ts';
import { listOwners } from '../app/list-owners.ts';
import type { Deps } from '../app/ports.ts';
import { toProtoCredential, toProtoLimitValues, toProtoOrganization } from '../wire/identity.ts';

export function identityRpc(deps: Deps): ServiceImpl<typeof IdentityService> {
  return {
    async exchangeCredential({ secret, audiences }) {
      const { tokens, expiresAt, credential, limits } = await exchangeCredential(deps, { secret, audiences });
      return {
        tokens,
        limits: toProtoLimitValues(limits),
        expiresAt: timestampFromDate(expiresAt),
        organization: toProtoOrganization(credential.organization),
        credential: toProtoCredential(credential),
      };
    },

    async issueServiceToken({ service, secret, audience, organizationId }) {
      const request = { service, secret, audience, organizationId: organizationId || undefined };
      const { token, expiresAt } = await issueServiceToken(deps, request);
      return { token, expiresAt: timestampFromDate(expiresAt) };
    },

    async exchangeServiceCredential({ secret, audience, organizationId }, context) {
      const request = { secret, audience, organizationId: organizationId || undefined, address: peerAddress(context) };
      const { token, expiresAt } = await exchangeServiceCredential(deps, request);
      return { token, expiresAt: timestampFromDate(expiresAt) };
    },

    async listSigningKeys() {
      return { jwksJson: JSON.stringify(await deps.signingKeys.publicKeys()) };
    },

    async listOwners(_, context) {
      const { owners, organizationName } = await listOwners(deps, organizationOf(context));
      return { owners: [...owners], organizationName };
    },
  };
}
