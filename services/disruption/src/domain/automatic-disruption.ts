import type { ComponentStatus, DisruptionImpact } from '@tocsin/enums';
import { type AffectedComponent, worstFirst } from './component.ts';
import { type EndedDisruption, MAX_COMPONENTS, type OpenDisruption } from './disruption.ts';
import type { AutoDisabled, DownEnded, WentDown, WentDownWithId } from './monitor-event.ts';
import { type Posting, postAutomatic } from './posting.ts';
import { describeAutoDisable, describeEnd, describeStart, titleOf } from './words.ts';

/** Returns the disruption of a monitor that went down, with the components linked to the monitor. */
export function openAutomatic(
  event: WentDownWithId,
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
    updates: [
      postAutomatic(posting, status, {
        body: describeStart(event),
        automaticText: 'went_down',
        explanation: event.explanation,
      }),
    ],
    affectedComponents: worstFirst(components).slice(0, MAX_COMPONENTS),
    automaticTitle: true,
    statusPageIds: [...new Set(components.map(({ statusPageId }) => statusPageId))],
    hiddenPageIds: [],
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns the disruption as resolved, with a new timeline entry about the end. `event` may be the next outage. */
export function resolveAutomatic(
  disruption: OpenDisruption,
  event: DownEnded | WentDown,
  posting: Posting,
): EndedDisruption {
  const status = 'resolved';
  // Prevent a negative duration. A person may have changed startedAt, and clocks may differ.
  const lastedMs = Math.max(0, event.at.getTime() - disruption.startedAt.getTime());
  return {
    ...disruption,
    status,
    resolvedAt: new Date(disruption.startedAt.getTime() + lastedMs),
    updates: [
      postAutomatic(posting, status, { body: describeEnd(event, lastedMs), automaticText: 'ended' }),
      ...disruption.updates,
    ],
    updatedAt: posting.now,
  };
}

/** Returns the disruption with a new timeline entry about the disabled monitor. The disruption stays open. */
export function recordAutoDisable(disruption: OpenDisruption, event: AutoDisabled, posting: Posting): OpenDisruption {
  const update = postAutomatic(posting, disruption.status, {
    body: describeAutoDisable(event),
    automaticText: `paused_${event.reason}`,
  });
  return { ...disruption, updates: [update, ...disruption.updates], updatedAt: posting.now };
}

/**
 * Returns an open automatic disruption after a change to its monitor's links. Adds newly linked components, and
 * publishes the disruption to their pages, except pages from which a person removed it. Does not change the statuses of
 * components that the disruption already had, because people may have set them. Returns the same object if no component
 * is added.
 */
export function relink(disruption: OpenDisruption, linked: readonly AffectedComponent[], now: Date): OpenDisruption {
  const known = new Set(disruption.affectedComponents.map(({ id }) => id));
  const added = linked.filter(
    ({ id, statusPageId }) => !known.has(id) && !disruption.hiddenPageIds.includes(statusPageId),
  );
  if (added.length === 0) return disruption;
  const affectedComponents = worstFirst([...disruption.affectedComponents, ...added]).slice(0, MAX_COMPONENTS);
  return {
    ...disruption,
    affectedComponents,
    statusPageIds: [...new Set([...disruption.statusPageIds, ...added.map(({ statusPageId }) => statusPageId)])],
    impact: worstImpact(disruption.impact, impactOf(added)),
    updatedAt: now,
  };
}

const IMPACTS: readonly DisruptionImpact[] = ['minor', 'major', 'critical'];

function worstImpact(a: DisruptionImpact, b: DisruptionImpact): DisruptionImpact {
  return IMPACTS.indexOf(a) >= IMPACTS.indexOf(b) ? a : b;
}

const IMPACT_OF: Record<ComponentStatus, DisruptionImpact> = {
  major_outage: 'critical',
  partial_outage: 'major',
  degraded_performance: 'minor',
  under_maintenance: 'minor',
  operational: 'minor',
};

/** Returns the impact that corresponds to the worst component status, or `major` if there are no components. */
export function impactOf(components: readonly AffectedComponent[]): DisruptionImpact {
  const [worst] = worstFirst(components);
  return worst ? IMPACT_OF[worst.status] : 'major';
}
