import { type EventHandler, on } from '@tocsin/outbox';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { followLinks } from '../app/monitors/follow-links.ts';
import type { Deps } from '../app/ports.ts';

/** A page that changed may have other links between components and monitors. */
export function onPageUpdated(deps: Deps): EventHandler {
  return on(PageUpdatedSchema, (_page, { organizationId, occurredAt: at }, tx) =>
    followLinks(deps, tx, { organizationId, at }),
  );
}
