import { type EventHandler, on } from '@tocsin/outbox';
import type { Disruption as DisruptionMessage } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { applyDisruption, deleteDisruptionCopy } from '../app/apply-disruption.ts';
import { disruptionFromProto, updateFromProto } from '../wire/disruption.ts';

const following = [DisruptionCreatedSchema, DisruptionResolvedSchema].map((schema) =>
  on(schema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
    await applyDisruption(tx, disruptionFromProto(present(disruption), organizationId), occurredAt);
  }),
);

const updating = on(DisruptionUpdatedSchema, async (message, { organizationId, occurredAt }, tx) => {
  const { disruption, deletedUpdateIds: deletedIds, editedUpdates } = message;
  const edits = { deletedIds, edited: editedUpdates.map(updateFromProto) };
  await applyDisruption(tx, disruptionFromProto(present(disruption), organizationId), occurredAt, edits);
});

const forgetting = on(DisruptionDeletedSchema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
  await deleteDisruptionCopy(tx, { organizationId, id: present(disruption).id }, occurredAt);
});

/** Applies disruption events to pages and components. */
export const onDisruption: readonly EventHandler[] = [...following, updating, forgetting];

function present(disruption: DisruptionMessage | undefined): DisruptionMessage {
  if (!disruption) throw new Error('the event has no disruption');
  return disruption;
}
