import { type EventHandler, on } from '@tocsin/outbox';
import type { Disruption as DisruptionMessage } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { applyDisruption, type DisruptionChange, deleteDisruptionCopy } from '../app/apply-disruption.ts';
import type { Deps } from '../app/ports.ts';
import { disruptionFromProto, updateFromProto } from '../wire/disruption.ts';

/** Applies disruption events to pages and components, and informs the subscribers of the pages. */
export function onDisruption(deps: Pick<Deps, 'address' | 'now' | 'writeNotice'>): EventHandler[] {
  const following = [DisruptionCreatedSchema, DisruptionResolvedSchema].map((schema) =>
    on(schema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
      await applyDisruption(deps, tx, changeOf(disruption, organizationId), occurredAt);
    }),
  );
  const updating = on(DisruptionUpdatedSchema, async (message, { organizationId, occurredAt }, tx) => {
    const { disruption, deletedUpdateIds: deletedIds, editedUpdates } = message;
    const edits = { deletedIds, edited: editedUpdates.map(updateFromProto) };
    await applyDisruption(deps, tx, { ...changeOf(disruption, organizationId), edits }, occurredAt);
  });
  const deletion = on(DisruptionDeletedSchema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
    await deleteDisruptionCopy(tx, { organizationId, id: present(disruption).id }, occurredAt);
  });
  return [...following, updating, deletion];
}

function changeOf(message: DisruptionMessage | undefined, organizationId: string): DisruptionChange {
  const { monitorId } = present(message);
  return { disruption: disruptionFromProto(present(message), organizationId), monitorId: monitorId || undefined };
}

function present(disruption: DisruptionMessage | undefined): DisruptionMessage {
  if (!disruption) throw new Error('the event has no disruption');
  return disruption;
}
