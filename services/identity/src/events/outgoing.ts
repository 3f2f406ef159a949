import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  CredentialRevokedSchema,
  OrganizationCreatedSchema,
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';
import type { Organization } from '../domain/credential.ts';

export function organizationCreated({ id, name }: Organization, ownerEmail: string): OutgoingEvent {
  const message = { organizationId: id, name, ownerEmail };
  return outgoingEvent(OrganizationCreatedSchema, message, { organizationId: id, aggregateId: id });
}

export function credentialRevoked(organizationId: string, credentialId: string): OutgoingEvent {
  return outgoingEvent(CredentialRevokedSchema, { credentialId }, { organizationId, aggregateId: credentialId });
}

export function organizationStopped(organizationId: string): OutgoingEvent {
  return outgoingEvent(OrganizationStoppedSchema, { organizationId }, { organizationId, aggregateId: organizationId });
}

export function organizationResumed(organizationId: string): OutgoingEvent {
  return outgoingEvent(OrganizationResumedSchema, { organizationId }, { organizationId, aggregateId: organizationId });
}

export function organizationDeleted(organizationId: string): OutgoingEvent {
  return outgoingEvent(OrganizationDeletedSchema, { organizationId }, { organizationId, aggregateId: organizationId });
}
