import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Limits } from '@tocsin/enums';
import type { ApiKeySchema } from '@tocsin/proto/identity/v1/api_key';
import type { AuditEntrySchema } from '@tocsin/proto/identity/v1/audit';
import {
  CredentialKind,
  type CredentialSchema,
  type MemberSchema,
  type OrganizationSchema,
  type ServiceCredentialSchema,
} from '@tocsin/proto/identity/v1/identity';
import type { ApiKey } from '../domain/api-key.ts';
import type { AuditLogEntry } from '../domain/audit-entry.ts';
import type { Credential, Organization } from '../domain/credential.ts';
import type { Member } from '../domain/member-rules.ts';
import type { ServiceCredential } from '../domain/service-credential.ts';

export function toProtoOrganization({
  id,
  accountNumber,
  name,
}: Organization): MessageInitShape<typeof OrganizationSchema> {
  return { id, accountNumber: BigInt(accountNumber), name };
}

export function toProtoCredential({
  id,
  kind,
  name,
  permissions,
  actorEmail,
}: Credential): MessageInitShape<typeof CredentialSchema> {
  return { id, kind: KINDS[kind], name, permissions: [...permissions], actorEmail };
}

const KINDS: Readonly<Record<Credential['kind'], CredentialKind>> = {
  api_key: CredentialKind.API_KEY,
  oauth: CredentialKind.OAUTH,
};

export function toProtoApiKey(key: ApiKey): MessageInitShape<typeof ApiKeySchema> {
  const { id, name, permissions, expiresAt, lastUsedAt, createdAt } = key;
  return {
    id,
    name,
    permissions: [...permissions],
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
    ...(lastUsedAt && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    createdAt: timestampFromDate(createdAt),
    createdBy: key.createdBy ?? '',
    createdByKeyId: key.createdByKeyId ?? '',
  };
}

export function toProtoServiceCredential(
  credential: ServiceCredential,
): MessageInitShape<typeof ServiceCredentialSchema> {
  const { organizationId = '', permissions, audiences, expiresAt, lastUsedAt, createdAt, ...same } = credential;
  return {
    ...same,
    organizationId,
    permissions: [...permissions],
    audiences: [...audiences],
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
    ...(lastUsedAt && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}

export function toProtoMember({ userId, email, role, since }: Member): MessageInitShape<typeof MemberSchema> {
  return { userId, email, role, since: timestampFromDate(since) };
}

export function toProtoAuditEntry(entry: AuditLogEntry): MessageInitShape<typeof AuditEntrySchema> {
  const { occurredAt, address = '', credentialId = '', ...same } = entry;
  return { ...same, occurredAt: timestampFromDate(occurredAt), address, credentialId };
}

export function toProtoLimitValues(limits: Limits): Record<string, bigint> {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, BigInt(value)]));
}

export function toProtoLimits({ limits, set }: { limits: Limits; set: readonly string[] }) {
  return { limits: toProtoLimitValues(limits), set: [...set] };
}
