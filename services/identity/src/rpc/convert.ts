import type { MessageInitShape } from '@bufbuild/protobuf';
import { CredentialKind, type CredentialSchema, type OrganizationSchema } from '@tocsin/proto/identity/v1/identity';
import type { Credential, Organization } from '../domain/credential.ts';

export function toProtoOrganization({
  id,
  accountNumber,
  name,
}: Organization): MessageInitShape<typeof OrganizationSchema> {
  return { id, accountNumber: BigInt(accountNumber), name };
}

export function toProtoCredential({
  id,
  name,
  permissions,
  actorEmail,
}: Credential): MessageInitShape<typeof CredentialSchema> {
  return { id, kind: CredentialKind.API_KEY, name, permissions: [...permissions], actorEmail };
}
