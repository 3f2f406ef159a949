import type { Delivery, DisruptionRecord, Evidence, JobRecord, Outage, PageView } from './evidence.ts';

export const VIOLATION_KINDS = ['lost', 'doubled', 'false down', 'green without checks', 'green while down'] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export interface Violation {
  readonly kind: ViolationKind;
  readonly target: string;
  readonly text: string;
  /** Start of the period in which the violation happened. The report names the faults in this period. */
  readonly from: number;
  readonly to: number;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Number of deliveries that arrived again with the same id, which is allowed because delivery is at least once. */
  readonly repeats: number;
}

const SECOND_MS = 1_000;

/**
 * Time within which an outage or a recovery must be noticed, counted from its start or from the last fault, whichever
 * is later. The documentation names no limit for a period with faults. A monitor becomes stale if no check round has a
 * conclusive result for 5 minutes (docs/states.md), so an outage must be noticed within this time.
 */
export const NOTICED_WITHIN_MS = 300 * SECOND_MS;

/**
 * Interval of the monitors. If the last round of a monitor is older than OVERDUE_MS, a page no longer shows the
 * monitor's component as operational.
 */
export const INTERVAL_MS = 30 * SECOND_MS;
const OVERDUE_MS = 3 * INTERVAL_MS + 120 * SECOND_MS;

/**
 * Time for which a page can be shown as current after statuspage has become unavailable
 * (docs/decisions/0011-public-pages.md).
 */
const PAGE_AGE_MS = 60 * SECOND_MS;

/** Maximum duration of a request for a page on a busy machine. */
const SLACK_MS = 15 * SECOND_MS;

/** Maximum time for which a page may show a component as operational (green) after the last check of its target. */
export const GREEN_WITHIN_MS = OVERDUE_MS + PAGE_AGE_MS + SLACK_MS;

/**
 * Maximum time for which a page may show a component as operational after the API showed that its monitor is down. The
 * change reaches the page through an event of the monitor service, a disruption, and an event of the disruption
 * service. Faults may delay each of these steps.
 */
export const RED_WITHIN_MS = PAGE_AGE_MS + 2 * SLACK_MS;

/**
 * Compares what happened to the targets with what the product said about them, after everything has recovered and all
 * alerts have arrived.
 */
export function judge(evidence: Evidence): Verdict {
  const violations = [
    ...evidence.outages.flatMap((outage) => violationsOfOutage(outage, evidence)),
    ...evidence.jobs.flatMap((job) => violationsOfJob(job, evidence)),
    ...falseDowns(evidence),
    ...violationsOfDisruptions(evidence),
    ...greensWithoutChecks(evidence),
    ...greensWhileDown(evidence),
  ];
  const repeats = evidence.deliveries.length - distinct(evidence.deliveries).length;
  return { violations, repeats };
}

/**
 * Returns the violations of an outage. An outage must cause one change to down and one alert. Disruptions are checked
 * separately.
 */
function violationsOfOutage(outage: Outage, { transitions, deliveries, calmFrom }: Evidence): Violation[] {
  const { target, status, from, to } = outage;
  const say = (kind: ViolationKind, text: string): Violation => ({
    kind,
    target,
    text: `the outage with status ${status} ${text}`,
    from,
    to,
  });
  const downs = transitions.filter((one) => one.target === target && one.state === 'down' && tells(one.error, status));
  const alerts = distinct(deliveries).filter(
    (one) => one.target === target && one.event === 'monitor_down' && tells(one.error, status),
  );
  return [
    ...lateness(outage, calmFrom).map((text) => say('lost', text)),
    ...(downs.length === 0 ? [say('lost', 'made no transition to down')] : []),
    ...(downs.length > 1 ? [say('doubled', `made ${downs.length} transitions to down`)] : []),
    ...(alerts.length === 0 ? [say('lost', 'made no alert')] : []),
    ...(alerts.length > 1 ? [say('doubled', `made ${alerts.length} alerts: ${idsOf(alerts)}`)] : []),
  ];
}

/** Returns a list with a description if an outage or its end was noticed too late or never; otherwise an empty list. */
function lateness({ from, to, noticedAt, overAt }: Omit<Outage, 'target' | 'status'>, calmFrom: number): string[] {
  const isLate = (at: number | undefined, since: number) =>
    at === undefined || at - Math.max(since, calmFrom) > NOTICED_WITHIN_MS;
  const limit = `within ${NOTICED_WITHIN_MS / SECOND_MS} s`;
  if (isLate(noticedAt, from)) return [`was not noticed ${limit}`];
  return isLate(overAt, to) ? [`ended, and that was not noticed ${limit}`] : [];
}

/**
 * Returns the violations of a job. Compares only the numbers of pauses and of changes to down, because a missed ping
 * can not be assigned to a pause. While the gateway is unavailable, pings do not arrive, so the monitor may go down
 * although the job does not pause.
 */
function violationsOfJob(job: JobRecord, { transitions, calmFrom }: Evidence): Violation[] {
  const { target, pings, pauses, failsAfterMs } = job;
  const downs = transitions.filter((one) => one.target === target && one.state === 'down').length;
  const gaps = mostGaps(job);
  const whole = { from: pings[0]?.sentAt ?? 0, to: pings.at(-1)?.endedAt ?? 0 };
  const late = pauses.flatMap((pause) =>
    lateness(pause, calmFrom).map((text) => ({
      kind: 'lost' as const,
      target,
      text: `a pause of the job ${text}`,
      from: pause.from,
      to: pause.to,
    })),
  );
  if (downs < pauses.length) {
    return [...late, { kind: 'lost', target, text: `${pauses.length} pauses of the job, ${downs} downs`, ...whole }];
  }
  if (downs > gaps) {
    const text = `${downs} downs, but at most ${gaps} times without a ping for ${failsAfterMs / 1_000} s`;
    return [...late, { kind: 'false down', target, text, ...whole }];
  }
  return late;
}

/**
 * Returns how often, at most, the product was without a ping of a job for the time after which its monitor fails. A
 * ping that was not confirmed may have arrived, also after it was given up, and then separates two such periods.
 */
function mostGaps({ pings, failsAfterMs }: JobRecord): number {
  let gaps = 0;
  let since = pings.find(({ isConfirmed }) => isConfirmed)?.sentAt ?? 0;
  for (const { sentAt, endedAt, isConfirmed } of pings) {
    const arrivedBy = isConfirmed ? endedAt : endedAt + SLACK_MS;
    const isGap = arrivedBy - since >= failsAfterMs;
    if (isGap) gaps += 1;
    if (isGap || isConfirmed) since = sentAt;
  }
  return gaps;
}

/**
 * Returns the changes to down and the alerts that no outage explains. An outage explains a change or an alert if the
 * error text names the HTTP status of the outage, and the target returned this status. For an alert, the target must
 * have returned the status before the alert.
 */
function falseDowns({ outages, responses, transitions, deliveries }: Evidence): Violation[] {
  const checked = new Set(responses.map(({ target }) => target));
  const statuses = (target: string, before: number) =>
    new Set(responses.flatMap((one) => (one.target === target && one.at <= before ? [one.status] : [])));
  const isExplained = (target: string, error: string, before: number) =>
    outages.some(
      (one) => one.target === target && tells(error, one.status) && statuses(target, before).has(one.status),
    );
  return [
    ...transitions.flatMap(({ target, state, error }) =>
      state === 'down' && checked.has(target) && !isExplained(target, error, Number.POSITIVE_INFINITY)
        ? [{ kind: 'false down' as const, target, text: `a transition to down because of "${error}"`, from: 0, to: 0 }]
        : [],
    ),
    ...distinct(deliveries).flatMap(({ target, event, error, at }) =>
      event === 'monitor_down' && checked.has(target) && !isExplained(target, error, at)
        ? [{ kind: 'false down' as const, target, text: `an alert because of "${error}"`, from: at, to: at }]
        : [],
    ),
  ];
}

/**
 * Returns the violations of disruptions. There must be one disruption for each change to down, with one alert about its
 * beginning and one about its end.
 */
function violationsOfDisruptions({ targets, transitions, disruptions, deliveries }: Evidence): Violation[] {
  const alerts = distinct(deliveries);
  const always = { from: alerts[0]?.at ?? 0, to: alerts.at(-1)?.at ?? 0 };
  const missing = alerts.flatMap(({ event, target, disruptionId, at }): Violation[] =>
    event !== 'monitor_down' || disruptions.some(({ id }) => id === disruptionId)
      ? []
      : [
          {
            kind: 'lost',
            target,
            text: `an alert names disruption ${disruptionId}, which does not exist`,
            from: at,
            to: at,
          },
        ],
  );
  const counts = targets.flatMap((target): Violation[] => {
    const downs = transitions.filter((one) => one.target === target && one.state === 'down').length;
    const opened = [...disruptions, ...missing].filter((one) => one.target === target).length;
    if (opened === downs) return [];
    const kind = opened < downs ? 'lost' : 'doubled';
    return [{ kind, target, text: `${downs} downs made ${opened} disruptions`, ...always }];
  });
  return [...missing, ...counts, ...disruptions.flatMap((disruption) => violationsOfDisruption(disruption, alerts))];
}

function violationsOfDisruption(
  { id, target, isResolved }: DisruptionRecord,
  alerts: readonly Delivery[],
): Violation[] {
  const own = alerts.filter(({ disruptionId }) => disruptionId === id);
  const from = own[0]?.at ?? 0;
  const say = (kind: ViolationKind, text: string): Violation => ({
    kind,
    target,
    text: `disruption ${id} ${text}`,
    from,
    to: own.at(-1)?.at ?? from,
  });
  return [
    ...(isResolved ? [] : [say('lost', 'is not resolved')]),
    ...['monitor_down', 'monitor_recovered'].flatMap((event) => {
      const found = own.filter((one) => one.event === event);
      if (found.length === 0) return [say('lost', `has no alert ${event}`)];
      return found.length > 1 ? [say('doubled', `has ${found.length} alerts ${event}: ${idsOf(found)}`)] : [];
    }),
  ];
}

/**
 * Returns the periods in which a page showed a component as operational although its target had not been checked
 * recently. Ignores a view of the page that said that its data may be outdated or that nothing is checked. Reports each
 * period without checks once.
 */
function greensWithoutChecks({ responses, views }: Evidence): Violation[] {
  const byTarget = Map.groupBy(responses, ({ target }) => target);
  return [...byTarget].flatMap(([target, checks]) => {
    const found: Violation[] = [];
    let index = 0;
    for (const view of views) {
      const { at } = view;
      while (index + 1 < checks.length && (checks[index + 1]?.at ?? 0) <= at) index += 1;
      const last = checks[index]?.at ?? at;
      if (!isGreen(view, target) || at - last <= GREEN_WITHIN_MS) continue;
      if (found.at(-1)?.from === last) found.pop();
      const text = `green for ${Math.round((at - last) / SECOND_MS)} s after its last check`;
      found.push({ kind: 'green without checks', target, text, from: last, to: at });
    }
    return found;
  });
}

/**
 * Returns the outages during which a page showed a component as operational although its target was known to be down.
 */
function greensWhileDown({ outages, views }: Evidence): Violation[] {
  return outages.flatMap(({ target, status, noticedAt, to }): Violation[] => {
    if (noticedAt === undefined) return [];
    const green = views.filter((view) => view.at > noticedAt + RED_WITHIN_MS && view.at < to && isGreen(view, target));
    const [first, last] = [green[0], green.at(-1)];
    if (!first || !last) return [];
    const after = Math.round((last.at - noticedAt) / SECOND_MS);
    const text = `green until ${after} s after the outage with status ${status} was noticed`;
    return [{ kind: 'green while down', target, text, from: first.at, to: last.at }];
  });
}

function isGreen({ isQualified, green }: PageView, target: string): boolean {
  return !isQualified && green.includes(target);
}

/** Returns the first arrival of each delivery. */
function distinct(deliveries: readonly Delivery[]): Delivery[] {
  return [...Map.groupBy(deliveries, ({ id }) => id).values()].flatMap((repeats) => repeats.slice(0, 1));
}

const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id).join(', ');

function tells(error: string, status: number): boolean {
  return error.startsWith(`status ${status},`);
}
