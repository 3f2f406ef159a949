import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AdminService } from '@tocsin/proto/identity/v1/identity';
import { requireService } from '@tocsin/runtime';
import { createApiKey } from '../app/create-api-key.ts';
import { createOrganization } from '../app/create-organization.ts';
import type { Deps } from '../app/ports.ts';
import { toProtoOrganization } from '../wire/identity.ts';

/** The only caller of this service, and how the audit log names it. */
const ADMIN = 'admin';
const ACTOR = `service:${ADMIN}`;

export function adminRpc(deps: Deps): ServiceImpl<typeof AdminService> {
  return {
    async createOrganization({ name, ownerEmail }, context) {
      requireService(context, ADMIN);
      const { organization, ownerId } = await createOrganization(deps, { name, ownerEmail, actor: ACTOR });
      return { organization: toProtoOrganization(organization), ownerId };
    },

    async createApiKey({ organizationId, name, permissions, expiresAt }, context) {
      requireService(context, ADMIN);
      const created = await createApiKey(deps, {
        organizationId,
        name,
        permissions,
        expiresAt: expiresAt && timestampDate(expiresAt),
        maker: { kind: 'admin', actor: ACTOR },
      });
      return { id: created.id, key: created.key, permissions: [...created.permissions] };
    },
  };
}
