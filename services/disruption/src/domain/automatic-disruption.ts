import { type AffectedComponent, type ComponentStatus, worstFirst } from './component.ts';
import type { EndedDisruption, Impact, OpenDisruption } from './disruption.ts';
import type { DownEnded, WentDown } from './follow-monitor.ts';
import { describeEnd, describeStart, titleOf } from './words.ts';

/** Who writes, when, and under which id. */
export interface Posting {
  readonly updateId: string;
  readonly now: Date;
  /** Mail address. */
  readonly postedBy: string;
}

/** The disruption that a monitor's going down opens, with the components that follow the monitor. */
export function openAutomatic(
  fact: WentDown,
  components: readonly AffectedComponent[],
  { id, organizationId, posting }: { id: string; organizationId: string; posting: Posting },
): OpenDisruption {
  const { updateId, now, postedBy } = posting;
  const status = 'investigating';
  return {
    id,
    organizationId,
    title: titleOf(fact.monitor.name),
    type: 'disruption',
    status,
    impact: impactOf(components),
    origin: { kind: 'monitor', monitorId: fact.monitor.id },
    startedAt: fact.at,
    resolvedAt: undefined,
    updates: [{ id: updateId, status, body: describeStart(fact), postedAt: now, postedBy }],
    affectedComponents: worstFirst(components),
    createdAt: now,
    updatedAt: now,
  };
}

/** The same disruption, over: every component that it touches is operational as far as it goes. */
export function resolveAutomatic(disruption: OpenDisruption, fact: DownEnded, posting: Posting): EndedDisruption {
  const { updateId, now, postedBy } = posting;
  const status = 'resolved';
  // Round times and the times of people's deeds come from different clocks.
  const lastedMs = Math.max(0, fact.at.getTime() - disruption.startedAt.getTime());
  return {
    ...disruption,
    status,
    resolvedAt: new Date(disruption.startedAt.getTime() + lastedMs),
    updates: [
      { id: updateId, status, body: describeEnd(fact, lastedMs), postedAt: now, postedBy },
      ...disruption.updates,
    ],
    affectedComponents: disruption.affectedComponents.map((component) => ({ ...component, status: 'operational' })),
    updatedAt: now,
  };
}

const IMPACT_OF: Record<ComponentStatus, Impact> = {
  major_outage: 'critical',
  partial_outage: 'major',
  degraded_performance: 'minor',
  under_maintenance: 'minor',
  operational: 'minor',
};

/** As bad as the worst component; `major` when no component tells. */
function impactOf(components: readonly AffectedComponent[]): Impact {
  const [worst] = worstFirst(components);
  return worst ? IMPACT_OF[worst.status] : 'major';
}
