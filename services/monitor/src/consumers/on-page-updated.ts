import { type EventHandler, on } from '@tocsin/outbox';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { applyLinks } from '../app/monitors/apply-links.ts';
import type { Deps } from '../app/ports.ts';

/**
 * Returns a handler that recalculates the set of monitors that each maintenance in progress covers. An update to a page
 * may change the links between components and monitors.
 */
export function onPageUpdated(deps: Deps): EventHandler {
  return on(PageUpdatedSchema, (_page, { organizationId, occurredAt: at }, tx) =>
    applyLinks(deps, tx, { organizationId, at }),
  );
}
