import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { organizationOf, requireService } from '@tocsin/runtime';
import { exchangeCredential } from '../app/exchange-credential.ts';
import { issueServiceToken } from '../app/issue-service-token.ts';
import { listOwners } from '../app/list-owners.ts';
import type { Deps } from '../app/ports.ts';
import { toProtoCredential, toProtoOrganization } from '../wire/identity.ts';

export function identityRpc(deps: Deps): ServiceImpl<typeof IdentityService> {
  return {
    async exchangeCredential({ secret }, context) {
      requireService(context, 'gateway');
      const { token, expiresAt, credential } = await exchangeCredential(deps, { secret });
      return {
        token,
        expiresAt: timestampFromDate(expiresAt),
        organization: toProtoOrganization(credential.organization),
        credential: toProtoCredential(credential),
      };
    },

    async issueServiceToken({ service, secret, organizationId }) {
      const wanted = { service, secret, organizationId: organizationId || undefined };
      const { token, expiresAt } = await issueServiceToken(deps, wanted);
      return { token, expiresAt: timestampFromDate(expiresAt) };
    },

    async listSigningKeys() {
      return { jwksJson: JSON.stringify(await deps.signingKeys.publicKeys()) };
    },

    async listOwners(_, context) {
      requireService(context, 'notifier');
      return { owners: await listOwners(deps, organizationOf(context)) };
    },
  };
}
