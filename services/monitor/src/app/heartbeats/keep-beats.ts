import type { Transaction } from '@tocsin/database';
import { type Beating, dueAt, type Step } from '../../domain/heartbeats/heartbeat.ts';
import type { PingWindow } from '../../domain/heartbeats/ping-window.ts';
import { confirmationOf } from '../../domain/rounds/evaluate.ts';
import { type HeartbeatMonitor, saveHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import { insertResults } from '../../storage/rounds/result-store.ts';
import { findStandings, saveStandings } from '../../storage/rounds/standing-store.ts';
import { publishChanges } from '../monitors/publish-changes.ts';

/** Where pings stand in the history: no probe region saw them. */
const REGION = 'heartbeat';

/** A locked heartbeat monitor in a transaction: as it was found, as it is now, and how it came there. */
export interface Beats {
  readonly found: HeartbeatMonitor;
  readonly now: Beating;
  readonly steps: readonly Step[];
  readonly window: PingWindow;
}

export async function startBeats(tx: Transaction, monitors: readonly HeartbeatMonitor[]): Promise<Beats[]> {
  const standings = await findStandings(
    tx,
    monitors.map(({ monitor }) => monitor.id),
  );
  return monitors.map((found) => {
    const { monitor, heartbeat, window } = found;
    const now = { heartbeat, standing: standings.get(monitor.id), confirmation: confirmationOf(monitor) };
    return { found, now, steps: [], window };
  });
}

export function withStep(beats: Beats, step: Step): Beats {
  return { ...beats, now: step, steps: [...beats.steps, step] };
}

/** Writes down what happened to some monitors: history, standings, deadlines and facts together. */
export async function keepBeats(tx: Transaction, all: readonly Beats[], at: Date): Promise<void> {
  const moved = all.filter(({ steps }) => steps.length > 0);
  await insertResults(tx, moved.flatMap(resultsOf));
  await saveStandings(
    tx,
    moved.flatMap(({ found: { monitor }, now: { standing } }) =>
      standing ? [{ monitorId: monitor.id, organizationId: monitor.organizationId, standing }] : [],
    ),
  );
  await saveHeartbeats(
    tx,
    all.map(({ found: { monitor, enabled }, now, window }) => ({
      monitorId: monitor.id,
      organizationId: monitor.organizationId,
      heartbeat: now.heartbeat,
      window,
      dueAt: enabled ? dueAt(now) : undefined,
    })),
  );
  const changed = moved.map(({ found: { monitor }, steps }) => ({
    monitorId: monitor.id,
    changes: steps.flatMap(({ change }) => (change ? [change] : [])),
  }));
  await publishChanges(tx, changed, at);
}

function resultsOf({ found, steps }: Beats) {
  return steps.flatMap(({ beat }) =>
    beat
      ? [
          {
            monitorId: found.monitor.id,
            roundAt: beat.at,
            region: REGION,
            outcome: beat.outcome,
            error: beat.error,
            statusCode: undefined,
            phases: beat.phases,
            checkedAt: beat.at,
          },
        ]
      : [],
  );
}
