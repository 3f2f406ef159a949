import { defineEntity, p } from '@mikro-orm/postgresql';

export const MembershipEntity = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  properties: {
    organizationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.string(),
    createdAt: p.datetime(),
  },
});

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    userId: p.uuid(),
    name: p.string(),
    secretHash: p.blob(),
    permissions: p.array(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    createdBy: p.string().nullable(),
    createdByKeyId: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});

export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    id: p.uuid().primary(),
    publicJwk: p.text(),
    sealedPrivateJwk: p.text(),
    createdAt: p.datetime(),
  },
});

export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    actor: p.string(),
    action: p.string(),
    targetId: p.uuid(),
    details: p.text(),
    occurredAt: p.datetime(),
    address: p.text().nullable(),
    credentialId: p.uuid().nullable(),
  },
});

export const entities = [MembershipEntity, ApiKeyEntity, SigningKeyEntity, AuditEntity];
