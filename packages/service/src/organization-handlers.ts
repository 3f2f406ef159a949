import { type EventHandler, type OrganizationHooks, on, type StoppedState, saveStoppedState } from '@tocsin/outbox';
import {
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';

/** Returns handlers for the events with which identity stops, resumes and deletes organizations. */
export function organizationHandlers({ stop }: OrganizationHooks): EventHandler[] {
  const react = (schema: Parameters<typeof on>[0], state: StoppedState) =>
    on(schema, async (_message, { organizationId, occurredAt }, tx) => {
      await saveStoppedState(tx, { organizationId, state, at: occurredAt });
      if (state === 'stopped') await stop?.(tx, organizationId);
    });
  return [
    react(OrganizationStoppedSchema, 'stopped'),
    react(OrganizationResumedSchema, 'resuming'),
    react(OrganizationDeletedSchema, 'deleting'),
  ];
}
