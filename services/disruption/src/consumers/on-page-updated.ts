import { type EventHandler, on } from '@tocsin/outbox';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import type { Deps } from '../app/ports.ts';
import { relinkDisruptions } from '../app/relink-disruptions.ts';

/**
 * Returns a handler that publishes open automatic disruptions to components that were linked after the monitors went
 * down.
 */
export function onPageUpdated(deps: Deps): EventHandler {
  return on(PageUpdatedSchema, async ({ statusPageId, deleted }, { organizationId }, tx) => {
    if (!deleted) await relinkDisruptions(deps, tx, { organizationId, statusPageId });
  });
}
