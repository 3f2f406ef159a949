import type { ComponentStatus, DisruptionImpact } from '@tocsin/enums';
import { type AffectedComponent, worstFirst } from './component.ts';
import { type EndedDisruption, MAX_COMPONENTS, type OpenDisruption } from './disruption.ts';
import type { DownEnded, WentDown } from './monitor-event.ts';
import { type Posting, post } from './posting.ts';
import { describeEnd, describeStart, titleOf } from './words.ts';

/** Returns the disruption of a monitor that went down, with the components linked to the monitor. */
export function openAutomatic(
  event: WentDown,
  components: readonly AffectedComponent[],
  { organizationId, posting }: { organizationId: string; posting: Posting },
): OpenDisruption {
  const { now } = posting;
  const status = 'investigating';
  return {
    id: event.outageId,
    organizationId,
    title: titleOf(event.monitor.name),
    type: 'disruption',
    status,
    impact: impactOf(components),
    origin: { kind: 'monitor', monitorId: event.monitor.id },
    startedAt: event.at,
    endsAt: undefined,
    dueAt: undefined,
    resolvedAt: undefined,
    updates: [post(posting, status, describeStart(event))],
    affectedComponents: worstFirst(components).slice(0, MAX_COMPONENTS),
    statusPageIds: [...new Set(components.map(({ statusPageId }) => statusPageId))],
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns the disruption, resolved. */
export function resolveAutomatic(disruption: OpenDisruption, event: DownEnded, posting: Posting): EndedDisruption {
  const status = 'resolved';
  // Times of rounds and of people's changes come from different clocks.
  const lastedMs = Math.max(0, event.at.getTime() - disruption.startedAt.getTime());
  return {
    ...disruption,
    status,
    resolvedAt: new Date(disruption.startedAt.getTime() + lastedMs),
    updates: [post(posting, status, describeEnd(event, lastedMs)), ...disruption.updates],
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

/** Returns the impact of the worst component; `major` without components. */
function impactOf(components: readonly AffectedComponent[]): DisruptionImpact {
  const [worst] = worstFirst(components);
  return worst ? IMPACT_OF[worst.status] : 'major';
}
