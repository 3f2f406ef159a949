import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { openAutomatic, recordAutoDisable, resolveAutomatic } from '../domain/automatic-disruption.ts';
import type { OpenDisruption } from '../domain/disruption.ts';
import { type DownEnded, decide, type MonitorEvent, type WentDown } from '../domain/monitor-event.ts';
import { disruptionChanged, disruptionCreated } from '../events/outgoing.ts';
import { insertDisruption, lockOpenAutomatic, saveDisruption, shareLinks } from '../storage/disruption-store.ts';
import { deleteHeldDown, isUnderMaintenance, lockHeldDown, saveHeldDown } from '../storage/held-down-store.ts';
import type { Deps } from './ports.ts';

interface EventInTransaction<Event extends MonitorEvent> {
  readonly tx: Transaction;
  readonly organizationId: string;
  readonly event: Event;
}

/**
 * Opens, updates or resolves a monitor's automatic disruption after an event about the monitor, in the transaction that
 * handles the event. If the monitor goes down while one of its linked components is under maintenance, the disruption
 * is opened only after the maintenance, if the monitor is still down then. An open disruption of an earlier outage is
 * resolved when the next one opens.
 * @throws ServiceError `unavailable` if the linked components can't be read. The transaction must then be rolled back.
 */
export async function applyMonitorEvent(
  deps: Deps,
  { tx, organizationId, event }: EventInTransaction<MonitorEvent>,
): Promise<void> {
  // Every transaction takes its locks in this order: the held down, the links, the disruption. The first lock waits for
  // a transaction that is releasing the held down, so that the disruption which that transaction opens is found below.
  if (event.kind === 'went_down') {
    lockHeldDown(tx, organizationId, event.monitor.id);
    // This lock orders this transaction and concurrent link changes. Either open() reads the new link, or
    // applyPageChange() waits for this transaction and finds the new disruption.
    shareLinks(tx, organizationId);
  } else {
    deleteHeldDown(tx, organizationId, event.monitor.id);
  }
  const decision = decide(await lockOpenAutomatic(tx, organizationId, event.monitor.id), event);
  switch (decision.kind) {
    case 'leave':
      return;
    case 'open':
      return open(deps, { tx, organizationId, event: decision.event });
    case 'replace':
      return open(deps, { tx, organizationId, event: decision.event }, decision.disruption);
    case 'resolve':
      return resolve(deps, tx, decision.disruption, decision.event);
    case 'note': {
      const { disruption } = decision;
      const posting = { updateId: v7(), now: deps.now(), postedBy: deps.senderAddress };
      const recorded = recordAutoDisable(disruption, decision.event, posting);
      await saveDisruption(tx, recorded);
      return appendEvents(tx, [disruptionChanged(disruption, recorded)], posting.now);
    }
    default:
      unreachable(decision);
  }
}

/** Opens a disruption, after resolving `earlier`. Holds the down and leaves `earlier` open during a maintenance. */
async function open(
  deps: Deps,
  { tx, organizationId, event: wentDown }: EventInTransaction<WentDown>,
  earlier?: OpenDisruption,
): Promise<void> {
  const event = { ...wentDown, outageId: wentDown.outageId ?? v7() };
  const components = await deps.components.whileDown(organizationId, event.monitor.id);
  const ids = components.map(({ id }) => id);
  if (await isUnderMaintenance(tx, organizationId, ids)) return saveHeldDown(tx, organizationId, event, ids);
  if (earlier) await resolve(deps, tx, earlier, event);
  const posting = { updateId: v7(), now: deps.now(), postedBy: deps.senderAddress };
  const disruption = openAutomatic(event, components, { organizationId, posting });
  await insertDisruption(tx, disruption);
  await appendEvents(tx, [disruptionCreated(disruption)], posting.now);
}

async function resolve(
  deps: Deps,
  tx: Transaction,
  disruption: OpenDisruption,
  event: DownEnded | WentDown,
): Promise<void> {
  const posting = { updateId: v7(), now: deps.now(), postedBy: deps.senderAddress };
  const resolved = resolveAutomatic(disruption, event, posting);
  await saveDisruption(tx, resolved);
  await appendEvents(tx, [disruptionChanged(disruption, resolved)], posting.now);
}
