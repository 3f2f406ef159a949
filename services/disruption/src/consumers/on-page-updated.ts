import { type EventHandler, on } from '@tocsin/outbox';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { applyPageChange } from '../app/apply-page-change.ts';
import type { Deps } from '../app/ports.ts';

/**
 * Returns a handler that publishes open automatic disruptions to components that were linked after the monitors went
 * down, and updates the names of components and removes deleted ones in all open disruptions.
 */
export function onPageUpdated(deps: Deps): EventHandler {
  return on(PageUpdatedSchema, async ({ statusPageId, deleted }, { organizationId }, tx) => {
    await applyPageChange(deps, tx, { organizationId, statusPageId, deleted });
  });
}
