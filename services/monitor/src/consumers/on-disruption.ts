import { type EventHandler, on } from '@tocsin/outbox';
import { type Disruption, DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { countDisruption } from '../app/auto-disable/count-disruption.ts';
import { applyMaintenance } from '../app/maintenance/apply-maintenance.ts';
import type { Deps } from '../app/ports.ts';

/**
 * Returns handlers that update the set of monitors that a maintenance covers, and that count automatic disruptions for
 * auto-disable.
 */
export function onDisruption(deps: Deps): EventHandler[] {
  const schemas = [DisruptionCreatedSchema, DisruptionUpdatedSchema, DisruptionResolvedSchema, DisruptionDeletedSchema];
  return schemas.map((schema) =>
    on(schema, async ({ disruption }, { organizationId, occurredAt: at }, tx) => {
      if (!disruption) throw new Error(`event ${schema.typeName} has no disruption`);
      const { id: disruptionId, monitorId, autoCreated } = disruption;
      if (schema === DisruptionCreatedSchema && autoCreated && monitorId) {
        await countDisruption(deps, tx, { organizationId, monitorId, disruptionId, at });
      }
      if (disruption.type !== DisruptionType.MAINTENANCE) return;
      const componentIds = schema === DisruptionDeletedSchema ? [] : componentsAtWork(disruption);
      await applyMaintenance(deps, tx, { organizationId, disruptionId, componentIds, at });
    }),
  );
}

function componentsAtWork({ status, affectedComponents }: Disruption): string[] {
  return status === DisruptionStatus.IN_PROGRESS ? affectedComponents.map(({ id }) => id) : [];
}
