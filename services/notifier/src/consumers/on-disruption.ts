import { disruptionResource } from '@tocsin/api-json';
import { type EventHandler, on } from '@tocsin/outbox';
import {
  DisruptionCreatedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import type { Deps } from '../app/ports.ts';
import { publishToSubscriptions } from '../app/publish-to-subscriptions.ts';

/**
 * Publishes opened, changed and resolved disruptions to subscriptions. Skips disruptions that were already resolved
 * when they were recorded, and changes that are marked as silent.
 */
export function onDisruption(deps: Deps): EventHandler[] {
  const kinds = [
    [DisruptionCreatedSchema, 'disruption.created'],
    [DisruptionUpdatedSchema, 'disruption.updated'],
    [DisruptionResolvedSchema, 'disruption.resolved'],
  ] as const;
  return kinds.map(([schema, kind]) =>
    on(schema, async ({ disruption, silent }, { id: eventId, organizationId, occurredAt }, tx) => {
      if (!disruption) throw new Error(`event ${schema.typeName} has no disruption`);
      if (silent || (schema === DisruptionCreatedSchema && disruption.resolvedAt)) return;
      const data = disruptionResource('disruption', disruption);
      await publishToSubscriptions(deps, tx, {
        organizationId,
        eventId,
        kind,
        resourceId: disruption.id,
        data,
        occurredAt,
      });
    }),
  );
}
