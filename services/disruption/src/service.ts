import { COMPONENT_EVENTS } from '@tocsin/proto/component-events';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import type { Runtime, TokenVerifier } from '@tocsin/runtime';
import { type RunningService, startService } from '@tocsin/service';
import { advanceMaintenances } from './app/advance-maintenances.ts';
import { deleteOldDisruptions } from './app/delete-old-disruptions.ts';
import type { Components, Deps } from './app/ports.ts';
import { releaseHeldDowns } from './app/release-held-downs.ts';
import { statuspageComponents } from './clients/statuspage-components.ts';
import type { DisruptionConfig } from './config.ts';
import { onMonitorDeleted } from './consumers/on-monitor-deleted.ts';
import { onMonitorStateChanged } from './consumers/on-monitor-state-changed.ts';
import { onMonitorUpdated } from './consumers/on-monitor-updated.ts';
import { onPageUpdated } from './consumers/on-page-updated.ts';
import { disruptionRpc } from './rpc/disruption-rpc.ts';
import { usageRpc } from './rpc/usage-rpc.ts';
import { MAINTENANCE_DUE } from './storage/disruption-store.ts';
import { EXPORTED } from './storage/exported-columns.ts';
import { HELD_DOWN_DUE } from './storage/held-down-store.ts';
import { migrations } from './storage/migrations/index.ts';
import { entities } from './storage/schema.ts';

/**
 * Milliseconds between runs of the loop that advances maintenances, and of the loop that opens disruptions after a
 * maintenance.
 */
const LOOP_EVERY_MS = 1_000;
const DELETE_OLD_EVERY_MS = 3_600_000;

/** Parts that tests replace. */
export interface Overrides {
  readonly now?: () => Date;
  readonly components?: Components;
  readonly verifier?: TokenVerifier;
}

/**
 * Starts the disruption service, and waits for its database and for NATS. Disposing waits for running calls and events.
 */
export function createService(
  config: DisruptionConfig,
  runtime: Runtime,
  { components, verifier, ...overrides }: Overrides = {},
): Promise<RunningService> {
  return startService(
    { config, runtime, entities, migrations, verifier, ...overrides },
    ({ database, transportTo, now }) => {
      const deps: Deps = {
        database,
        components: components ?? statuspageComponents(transportTo('statuspage', config.statuspageUrl)),
        senderAddress: config.senderAddress,
        now,
      };
      const fromMonitor = [onMonitorStateChanged(deps), onMonitorUpdated(deps), onMonitorDeleted(deps)];
      return {
        consumers: [
          { name: 'disruption-from-monitor', source: 'tocsin.monitor.v1', handlers: fromMonitor, afterAlerts: true },
          {
            name: 'disruption-from-statuspage',
            source: 'tocsin.statuspage.v1',
            handlers: [onPageUpdated(deps)],
            ignored: COMPONENT_EVENTS,
          },
        ],
        loops: [
          {
            name: 'keeping maintenance to its times',
            everyMs: LOOP_EVERY_MS,
            dueSql: MAINTENANCE_DUE,
            run: () => advanceMaintenances(deps),
          },
          {
            name: 'releasing held downs',
            everyMs: LOOP_EVERY_MS,
            dueSql: HELD_DOWN_DUE,
            run: () => releaseHeldDowns(deps),
          },
          { name: 'deleting old disruptions', everyMs: DELETE_OLD_EVERY_MS, run: () => deleteOldDisruptions(deps) },
        ],
        aggregates: ['disruption'],
        exported: EXPORTED,
        services: [DisruptionService, UsageService],
        routes: (router) =>
          router.service(DisruptionService, disruptionRpc(deps)).service(UsageService, usageRpc(deps)),
      };
    },
  );
}
