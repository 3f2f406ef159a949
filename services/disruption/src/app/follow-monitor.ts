import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { openAutomatic, resolveAutomatic } from '../domain/automatic-disruption.ts';
import { decide, type MonitorFact } from '../domain/follow-monitor.ts';
import { disruptionCreated, disruptionResolved } from '../events/outgoing.ts';
import { insertDisruption, lockOpenAutomatic, saveDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Opens or resolves a monitor's automatic disruption as a fact about the monitor asks for, inside the transaction in which
 * the fact counts.
 * @throws ServiceError `unavailable` when the components that follow the monitor can't be had; nothing is changed then.
 */
export async function followMonitor(
  deps: Deps,
  { tx, organizationId, fact }: { tx: Transaction; organizationId: string; fact: MonitorFact },
): Promise<void> {
  const decision = decide(await lockOpenAutomatic(tx, organizationId, fact.monitor.id), fact);
  const now = deps.now();
  const posting = { updateId: v7(), now, postedBy: deps.senderAddress };
  switch (decision.kind) {
    case 'leave':
      return;
    case 'open': {
      const components = await deps.linkedComponents.whileDown(organizationId, fact.monitor.id);
      const disruption = openAutomatic(decision.fact, components, { id: v7(), organizationId, posting });
      await insertDisruption(tx, disruption);
      return appendEvents(tx, [disruptionCreated(disruption)], now);
    }
    case 'resolve': {
      const resolved = resolveAutomatic(decision.disruption, decision.fact, posting);
      await saveDisruption(tx, resolved);
      return appendEvents(tx, [disruptionResolved(resolved)], now);
    }
    default:
      unreachable(decision);
  }
}
