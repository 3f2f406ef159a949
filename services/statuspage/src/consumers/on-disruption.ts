import { type EventHandler, on } from '@tocsin/outbox';
import type { Disruption as DisruptionMessage } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { applyDisruption, deleteDisruptionCopy } from '../app/apply-disruption.ts';
import { disruptionFromProto } from '../wire/disruption.ts';

const following = [DisruptionCreatedSchema, DisruptionUpdatedSchema, DisruptionResolvedSchema].map((schema) =>
  on(schema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
    await applyDisruption(tx, disruptionFromProto(present(disruption), organizationId), occurredAt);
  }),
);

const forgetting = on(DisruptionDeletedSchema, async ({ disruption }, { organizationId, occurredAt }, tx) => {
  await deleteDisruptionCopy(tx, { organizationId, id: present(disruption).id }, occurredAt);
});

/** Applies events of disruptions to pages and components. */
export const onDisruption: readonly EventHandler[] = [...following, forgetting];

function present(disruption: DisruptionMessage | undefined): DisruptionMessage {
  if (!disruption) throw new Error('the event has no disruption');
  return disruption;
}
