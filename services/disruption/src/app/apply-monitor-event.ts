import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { openAutomatic, resolveAutomatic } from '../domain/automatic-disruption.ts';
import { decide, type MonitorFact, type WentDown } from '../domain/monitor-event.ts';
import { disruptionChanged, disruptionCreated } from '../events/outgoing.ts';
import { insertDisruption, lockOpenAutomatic, saveDisruption } from '../storage/disruption-store.ts';
import { deleteHeldDown, isUnderMaintenance, saveHeldDown } from '../storage/held-down-store.ts';
import type { Deps } from './ports.ts';

interface MonitorFactAtWork<Fact extends MonitorFact> {
  readonly tx: Transaction;
  readonly organizationId: string;
  readonly fact: Fact;
}

/**
 * Opens or resolves a monitor's automatic disruption as a fact about the monitor asks for, inside the transaction in
 * which the fact counts. While maintenance is in progress on what follows the monitor, a down is held instead.
 * @throws ServiceError `unavailable` when the components that follow the monitor can't be had; nothing is changed then.
 */
export async function applyMonitorEvent(
  deps: Deps,
  { tx, organizationId, fact }: MonitorFactAtWork<MonitorFact>,
): Promise<void> {
  const decision = decide(await lockOpenAutomatic(tx, organizationId, fact.monitor.id), fact);
  if (fact.kind !== 'went_down') await deleteHeldDown(tx, organizationId, fact.monitor.id);
  switch (decision.kind) {
    case 'leave':
      return;
    case 'open':
      return open(deps, { tx, organizationId, fact: decision.fact });
    case 'resolve': {
      const { disruption } = decision;
      const posting = { updateId: v7(), now: deps.now(), postedBy: deps.senderAddress };
      const resolved = resolveAutomatic(disruption, decision.fact, posting);
      await saveDisruption(tx, resolved);
      return appendEvents(tx, [disruptionChanged(disruption, resolved)], posting.now);
    }
    default:
      unreachable(decision);
  }
}

async function open(deps: Deps, { tx, organizationId, fact }: MonitorFactAtWork<WentDown>): Promise<void> {
  const components = await deps.components.whileDown(organizationId, fact.monitor.id);
  const ids = components.map(({ id }) => id);
  if (await isUnderMaintenance(tx, organizationId, ids)) return saveHeldDown(tx, organizationId, fact, ids);
  const posting = { updateId: v7(), now: deps.now(), postedBy: deps.senderAddress };
  const disruption = openAutomatic(fact, components, { organizationId, posting });
  await insertDisruption(tx, disruption);
  await appendEvents(tx, [disruptionCreated(disruption)], posting.now);
}
