import type { ComponentStatus, DisruptionImpact } from '@tocsin/enums';
import { type AffectedComponent, worstFirst } from './component.ts';
import { type EndedDisruption, MAX_COMPONENTS, type OpenDisruption } from './disruption.ts';
import type { DownEnded, WentDown } from './monitor-event.ts';
import { type Posting, post } from './posting.ts';
import { describeEnd, describeStart, titleOf } from './words.ts';

/** The disruption that a monitor's going down opens, with the components that follow the monitor. */
export function openAutomatic(
  fact: WentDown,
  components: readonly AffectedComponent[],
  { organizationId, posting }: { organizationId: string; posting: Posting },
): OpenDisruption {
  const { now } = posting;
  const status = 'investigating';
  return {
    id: fact.outageId,
    organizationId,
    title: titleOf(fact.monitor.name),
    type: 'disruption',
    status,
    impact: impactOf(components),
    origin: { kind: 'monitor', monitorId: fact.monitor.id },
    startedAt: fact.at,
    endsAt: undefined,
    dueAt: undefined,
    resolvedAt: undefined,
    updates: [post(posting, status, describeStart(fact))],
    affectedComponents: worstFirst(components).slice(0, MAX_COMPONENTS),
    statusPageIds: [...new Set(components.map(({ statusPageId }) => statusPageId))],
    createdAt: now,
    updatedAt: now,
  };
}

/** The same disruption, over. */
export function resolveAutomatic(disruption: OpenDisruption, fact: DownEnded, posting: Posting): EndedDisruption {
  const status = 'resolved';
  // Round times and the times of people's deeds come from different clocks.
  const lastedMs = Math.max(0, fact.at.getTime() - disruption.startedAt.getTime());
  return {
    ...disruption,
    status,
    resolvedAt: new Date(disruption.startedAt.getTime() + lastedMs),
    updates: [post(posting, status, describeEnd(fact, lastedMs)), ...disruption.updates],
    updatedAt: posting.now,
  };
}

const IMPACT_OF: Record<ComponentStatus, DisruptionImpact> = {
  major_outage: 'critical',
  partial_outage: 'major',
  degraded_performance: 'minor',
  under_maintenance: 'minor',
  operational: 'minor',
};

/** As bad as the worst component; `major` when no component tells. */
function impactOf(components: readonly AffectedComponent[]): DisruptionImpact {
  const [worst] = worstFirst(components);
  return worst ? IMPACT_OF[worst.status] : 'major';
}
