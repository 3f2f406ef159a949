import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AdminService } from '@tocsin/proto/identity/v1/identity';
import { addMember, removeMember } from '../app/add-member.ts';
import { createApiKey } from '../app/create-api-key.ts';
import { createOrganization } from '../app/create-organization.ts';
import { createToken } from '../app/create-token.ts';
import { exportPage } from '../app/export-organization.ts';
import { getLimits, setLimit } from '../app/limits.ts';
import { listMembers } from '../app/members.ts';
import { cancelOrganizationDeletion, stopOrganization } from '../app/organization-deletion.ts';
import type { Deps } from '../app/ports.ts';
import { removeLostFactor } from '../app/second-factor.ts';
import {
  createServiceCredential,
  listServiceCredentials,
  revokeServiceCredential,
} from '../app/service-credentials.ts';
import { createSignInLink } from '../app/sign-in-links.ts';
import { toProtoLimits, toProtoMember, toProtoOrganization, toProtoServiceCredential } from '../wire/identity.ts';

/** Actor in the audit log. The service `admin` is the only caller of these methods. */
const ACTOR = 'service:admin';

export function adminRpc(deps: Deps): ServiceImpl<typeof AdminService> {
  return {
    async createOrganization({ name, ownerEmail }) {
      const { organization, ownerId } = await createOrganization(deps, { name, ownerEmail, actor: ACTOR });
      return { organization: toProtoOrganization(organization), ownerId };
    },

    async exportOrganization({ organizationId, cursor }) {
      const request = {
        organizationId,
        cursor: cursor || undefined,
        actor: { kind: 'operator', name: ACTOR },
      } as const;
      const { lines, next } = await exportPage(deps, request);
      return { lines, nextCursor: next ?? '' };
    },

    async deleteOrganization({ organizationId }) {
      const deleteAt = await stopOrganization(deps, organizationId, { kind: 'operator', name: ACTOR });
      return { deleteAt: timestampFromDate(deleteAt) };
    },

    async cancelDeletion({ organizationId }) {
      await cancelOrganizationDeletion(deps, organizationId, { kind: 'operator', name: ACTOR });
      return {};
    },

    async createApiKey({ organizationId, name, permissions, expiresAt }) {
      const created = await createApiKey(deps, {
        organizationId,
        name,
        permissions,
        expiresAt: expiresAt && timestampDate(expiresAt),
        creator: { kind: 'admin', actor: ACTOR },
      });
      return { id: created.id, key: created.key, permissions: [...created.permissions] };
    },

    async getLimits({ organizationId }) {
      return toProtoLimits(await getLimits(deps, organizationId));
    },

    async setLimit({ organizationId, name, value }) {
      const change = { organizationId, name, value: value === undefined ? undefined : Number(value), actor: ACTOR };
      return toProtoLimits(await setLimit(deps, change));
    },

    async rotateSigningKey() {
      const { id, signsFrom } = await deps.signingKeys.rotate();
      return { id, signsFrom: timestampFromDate(signsFrom) };
    },

    async listMembers({ organizationId }) {
      await getLimits(deps, organizationId);
      return { members: (await listMembers(deps, organizationId)).map(toProtoMember) };
    },

    async addMember({ organizationId, email, role }) {
      return { member: toProtoMember(await addMember(deps, { organizationId, email, role, actor: ACTOR })) };
    },

    async removeMember({ organizationId, email }) {
      await removeMember(deps, { organizationId, email, actor: ACTOR });
      return {};
    },

    async removeSecondFactor({ email }) {
      await removeLostFactor(deps, { email, actor: ACTOR });
      return {};
    },

    async createSignInLink({ email }) {
      const { url, expiresAt } = await createSignInLink(deps, { email, actor: ACTOR });
      return { url, expiresAt: timestampFromDate(expiresAt) };
    },

    async createServiceCredential({ organizationId, name, permissions, audiences, expiresAt, tokenSeconds }) {
      const { credential, secret } = await createServiceCredential(deps, {
        organizationId: organizationId || undefined,
        name,
        permissions,
        audiences,
        expiresAt: expiresAt && timestampDate(expiresAt),
        tokenSeconds: tokenSeconds || undefined,
        actor: ACTOR,
      });
      return { credential: toProtoServiceCredential(credential), secret };
    },

    async listServiceCredentials({ organizationId }) {
      const credentials = await listServiceCredentials(deps, organizationId || undefined);
      return { credentials: credentials.map(toProtoServiceCredential) };
    },

    async revokeServiceCredential({ id }) {
      await revokeServiceCredential(deps, { id, actor: ACTOR });
      return {};
    },

    async createToken({ organizationId, audience, permissions }) {
      const created = await createToken(deps, { organizationId, audience, permissions, actor: ACTOR });
      return { ...created, permissions: [...created.permissions], expiresAt: timestampFromDate(created.expiresAt) };
    },
  };
}
