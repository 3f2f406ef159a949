import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, seededRandom } from '@tocsin/testing';
import { expect } from 'vitest';
import { allHeard } from '../journeys/all-heard.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Evidence, JobRecord, Outage } from './evidence.ts';
import { describeDisturbance, type FaultKind } from './fault.ts';
import { type CausedFault, causeFaults } from './fault-injector.ts';
import { planFaults } from './fault-schedule.ts';
import { type Observer, observe } from './observer.ts';
import { INTERVAL_MS, judge, NOTICED_WITHIN_MS, type Verdict, VIOLATION_KINDS, type Violation } from './oracle.ts';
import { type PingingJob, startPingingJob } from './pinging-job.ts';
import { type OutagePlan, type PlannedOutage, planOutages } from './plan-outages.ts';
import {
  LINKS,
  PROGRAMS,
  type SoakedInstallation,
  startSoakedInstallation,
  TO_RECEIVER,
} from './soaked-installation.ts';
import { startTargets, type Targets } from './targets.ts';

export interface SoakOptions {
  /** Name under which the seed is printed. */
  readonly name: string;
  readonly faults: number;
  readonly everyMs: readonly [number, number];
  readonly weights: Readonly<Partial<Record<FaultKind, number>>>;
  readonly targets: OutagePlan;
  readonly jobs: OutagePlan;
}

export interface SoakFigures extends Verdict {
  readonly faults: readonly CausedFault[];
  readonly evidence: Evidence;
}

/**
 * HTTP status of a target in its first outage. The status increases by 1 with each outage, so that errors identify the
 * outage.
 */
const FIRST_STATUS = 501;

const EXPECTED_PING_S = 20;
const MISSES = 2;

const DEFAULT_FOLDER = join(import.meta.dirname, '../../.tmp/soak');

/** Number of faults between two lines of progress output. */
const REPORT_EVERY = 25;

/**
 * Maximum time after the last fault until everything has recovered and every alert has arrived. Retries wait for 5
 * minutes.
 */
const HEALED_WITHIN_MS = 15 * 60_000;

/**
 * Causes random faults in an installation while targets fail and recover, and judges what the installation reported
 * about the targets. Prints the seed, the figures, and each violation. The same seed results in the same faults and
 * outages. Copies the logs and the recorded evidence into TOCSIN_SOAK_FOLDER if it is set, and after a violation in any
 * case, by default into `.tmp/soak`.
 */
export async function soak(options: SoakOptions): Promise<SoakFigures> {
  const random = seededRandom(options.name);
  const faults = planFaults({ ...options, count: options.faults, programs: PROGRAMS, links: LINKS }, random);
  const outages = planOutages(options.targets, random);
  const pauses = planOutages(options.jobs, random);

  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const targets = stack.use(await startTargets());
  const withDisks = (options.weights['full disk'] ?? 0) > 0;
  const installation = stack.use(await startSoakedInstallation(Number(new URL(receiver.url).port), withDisks));
  const { network } = installation;
  const watched = await openPage(installation, targets, outages.length, pauses.length);
  const { api_key: apiKey } = network.installation.bootstrap;
  const observer = stack.use(observe({ baseUrl: network.baseUrl, apiKey, slug: SLUG }));
  const jobs = watched.jobs.map(({ url }) => stack.use(startPingingJob(url)));
  await eventually(
    () => expect(watched.all.map(({ id }) => observer.stateOf(id))).toEqual(watched.all.map(() => 'up')),
    {
      timeoutMs: 120_000,
    },
  );

  const caused: CausedFault[] = [];
  const began = Date.now();
  const seconds = (at: number) => ((at - began) / 1_000).toFixed(1);
  const disturbing = causeFaults(faults, installation, (fault) => {
    caused.push(fault);
    if (caused.length % REPORT_EVERY === 0) console.info(`${caused.length} faults after ${seconds(Date.now())} s`);
  });
  let calmFrom: number | undefined;
  const setCalm = () => {
    calmFrom = Date.now();
  };
  disturbing.then(setCalm, setCalm);
  const [happened, paused] = await Promise.all([
    Promise.all(
      watched.targets.map(({ id, name }, index) => {
        const fail = (status: number) => targets.set(name, status);
        return runOutages(
          outages[index] ?? [],
          () => observer.stateOf(id),
          () => calmFrom,
          {
            begin: (number) => fail(FIRST_STATUS + number),
            end: () => fail(200),
          },
        );
      }),
    ),
    Promise.all(
      watched.jobs.map(({ id }, index) => {
        const job = jobs[index] as PingingJob;
        return runOutages(
          pauses[index] ?? [],
          () => observer.stateOf(id),
          () => calmFrom,
          {
            begin: () => job.pause(),
            end: () => job.resume(),
          },
        );
      }),
    ),
    disturbing,
  ]);
  const healingFrom = Date.now();
  await healed(installation, observer, watched.all);
  console.info(
    `all faults were over after ${seconds(healingFrom)} s, and all had healed after ${seconds(Date.now())} s`,
  );

  const evidence: Evidence = {
    ...(await readApi(installation, watched.all)),
    targets: watched.all.map(({ name }) => name),
    calmFrom: calmFrom ?? Date.now(),
    outages: watched.targets.flatMap(({ name }, index) =>
      (happened[index] ?? []).map((outage, number) => ({ ...outage, target: name, status: FIRST_STATUS + number })),
    ),
    responses: targets.responses,
    jobs: watched.jobs.map(({ name }, index): JobRecord => {
      const { pings = [] } = jobs[index] ?? {};
      return { target: name, failsAfterMs: EXPECTED_PING_S * MISSES * 1_000, pings, pauses: paused[index] ?? [] };
    }),
    deliveries: deliveriesTo(receiver, watched.all),
    views: observer.views,
  };
  const verdict = judge(evidence);
  report(options, { ...verdict, faults: caused, evidence }, { observer, installation, began });
  const folder = process.env.TOCSIN_SOAK_FOLDER ?? (verdict.violations.length > 0 ? DEFAULT_FOLDER : undefined);
  if (folder) {
    await cp(join(network.dataDir, 'logs'), join(folder, 'logs'), { recursive: true });
    console.info(`the logs and the evidence are in ${folder}`);
    await writeFile(join(folder, 'evidence.json'), JSON.stringify({ began, faults: caused, evidence }));
  }
  return { ...verdict, faults: caused, evidence };
}

interface Happening {
  /** Called with the number of the outage, from 0. */
  begin(number: number): void;
  end(): void;
}

/**
 * Makes a target fail as planned. The planned duration of an outage begins when the outage is noticed. If it is not
 * noticed within a time limit after the last fault, the planned duration begins at the end of this limit. The next
 * outage begins after the recovery is noticed. No outage begins after the last fault.
 */
async function runOutages(
  plan: readonly PlannedOutage[],
  stateNow: () => string | undefined,
  calmFrom: () => number | undefined,
  { begin, end }: Happening,
): Promise<Omit<Outage, 'target' | 'status'>[]> {
  const happened: Omit<Outage, 'target' | 'status'>[] = [];
  const until = async (state: string, since: number) => {
    while (stateNow() !== state) {
      const calm = calmFrom();
      if (calm && Date.now() - Math.max(since, calm) > NOTICED_WITHIN_MS + INTERVAL_MS) return undefined;
      await sleep(200);
    }
    return Date.now();
  };
  for (const [number, { afterMs, lastsMs }] of plan.entries()) {
    for (const startAt = Date.now() + afterMs; Date.now() < startAt && !calmFrom(); ) await sleep(200);
    if (calmFrom()) break;
    const from = Date.now();
    begin(number);
    const noticedAt = await until('down', from);
    await sleep(lastsMs);
    const to = Date.now();
    end();
    happened.push({ from, to, noticedAt, overAt: await until('up', to) });
  }
  return happened;
}

const SLUG = 'soak';

interface Watched {
  readonly id: string;
  readonly name: string;
}

/** Creates the monitors, with a channel, and a page that shows them. */
async function openPage(
  { network, proxyOf }: SoakedInstallation,
  targets: Targets,
  targetCount: number,
  jobCount: number,
) {
  const { api } = network;
  const hook = `http://127.0.0.1:${proxyOf(TO_RECEIVER).port}/hook`;
  const channel = await api.post<Watched>('/alert-channels', { name: 'Hook', type: 'webhook', config: { url: hook } });
  const settings = { confirm_down_minutes: 0, confirm_up_minutes: 0, alert_channel_ids: [channel.id] };
  const create = <Made extends Watched>(count: number, noun: string, more: (name: string) => object) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const name = `${noun} ${index + 1}`;
        return api.post<Made>('/monitors', { name, interval_seconds: INTERVAL_MS / 1_000, ...settings, ...more(name) });
      }),
    );
  const checked = await create<Watched>(targetCount, 'Target', (name) => ({
    check_type: 'http',
    config: { url: targets.urlOf(name) },
  }));
  const beating = await create<Watched & { heartbeat_url: string }>(jobCount, 'Job', () => ({
    check_type: 'heartbeat',
    config: { expected_interval: EXPECTED_PING_S, consecutive_misses: MISSES },
  }));
  const all = [...checked, ...beating];
  const page = await api.post<Watched>('/status-pages', { name: 'Soak', slug: SLUG, enabled: true });
  await api.put(`/status-pages/${page.id}/structure`, {
    components: all.map(({ id, name }) => ({
      type: 'component',
      name,
      monitors: [{ monitor_id: id, down_status: 'major_outage' }],
    })),
  });
  return { targets: checked, jobs: beating.map(({ id, name, heartbeat_url: url }) => ({ id, name, url })), all };
}

/** Waits until every monitor is up, every event is consumed, and every alert was delivered. */
async function healed({ network }: SoakedInstallation, observer: Observer, all: readonly Watched[]): Promise<void> {
  const timing = { timeoutMs: HEALED_WITHIN_MS, intervalMs: 1_000 };
  await eventually(() => expect(all.map(({ id }) => observer.stateOf(id))).toEqual(all.map(() => 'up')), timing);
  await allHeard(network, timing.timeoutMs);
  await eventually(async () => {
    const { data } = (await network.api.send('GET', '/api/v1/alert-channels')).body as { data: Watched[] };
    const id = data[0]?.id ?? '';
    const unfinished = await readAll<{ status: string }>(network, `/alert-channels/${id}/deliveries`);
    expect(unfinished.filter(({ status }) => !FINAL.includes(status))).toEqual([]);
  }, timing);
}

const FINAL = ['sent', 'failed', 'dropped', 'suppressed'];

async function readApi({ network }: SoakedInstallation, all: readonly Watched[]) {
  const disruptions = await readAll<{ id: string; title: string; auto_created: boolean; status: string }>(
    network,
    '/disruptions',
  );
  const transitions = await Promise.all(
    all.map(async ({ id, name }) => {
      const read = await readAll<{ state: string; error: string | null }>(network, `/monitors/${id}/transitions`);
      return read.reverse().map(({ state, error }) => ({ target: name, state, error: error ?? '' }));
    }),
  );
  return {
    transitions: transitions.flat(),
    disruptions: disruptions.flatMap(({ id, title, auto_created, status }) => {
      const target = all.find(({ name }) => title.startsWith(`${name} `))?.name;
      return auto_created && target ? [{ id, target, isResolved: status === 'resolved' }] : [];
    }),
  };
}

/** Reads all pages of a list. */
async function readAll<Item>({ api }: SoakedInstallation['network'], path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let next: string | undefined = `/api/v1${path}?limit=100`; next; ) {
    const { status, body, headers, text } = await api.send('GET', next);
    if (status !== 200) throw new Error(`${next} returned ${status}: ${text}`);
    items.push(...(body as { data: Item[] }).data);
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  return items;
}

interface AlertBody {
  readonly event: string;
  readonly monitor: { readonly id: string };
  readonly disruption_id: string | null;
  readonly error: string | null;
}

function deliveriesTo(receiver: Receiver, all: readonly Watched[]): Evidence['deliveries'] {
  return receiver.requests('/hook').map(({ id, at, body }) => {
    const { event, monitor, disruption_id, error } = body as unknown as AlertBody;
    const target = all.find((one) => one.id === monitor.id)?.name ?? '';
    return { id, at, event, target, disruptionId: disruption_id ?? undefined, error: error ?? '' };
  });
}

/** Prints the figures, and each violation with the faults around its beginning. */
function report(
  { name }: SoakOptions,
  { faults, violations, repeats, evidence }: SoakFigures,
  { observer, installation, began }: { observer: Observer; installation: SoakedInstallation; began: number },
): void {
  const count = <Key extends string>(keys: readonly Key[]) =>
    Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, found]) => [key, found.length]));
  console.table(
    count(
      faults.map(({ disturbance }) => (disturbance.kind === 'cut' ? `cut (${disturbance.cut})` : disturbance.kind)),
    ),
  );
  const waits = evidence.outages
    .flatMap(({ from, noticedAt }) => (noticedAt ? [noticedAt - from] : []))
    .sort((a, b) => a - b);
  const unused = LINKS.filter((link) => installation.proxyOf(link).connections === 0);
  console.table({
    faults: faults.length,
    outages: evidence.outages.length,
    'pauses of jobs': evidence.jobs.flatMap(({ pauses }) => pauses).length,
    checks: evidence.responses.length,
    pings: evidence.jobs.flatMap(({ pings }) => pings).length,
    transitions: evidence.transitions.length,
    disruptions: evidence.disruptions.length,
    'alerts with repeats': evidence.deliveries.length,
    'repeated alerts': repeats,
    'views of the page': evidence.views.length,
    'views that failed': observer.failures,
    'noticed after, median': `${Math.round((waits[Math.floor(waits.length / 2)] ?? 0) / 1_000)} s`,
    'noticed after, longest': `${Math.round((waits.at(-1) ?? 0) / 1_000)} s`,
    'links without a connection': unused.length,
    ...Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, violations.filter((one) => one.kind === kind).length])),
  });
  for (const violation of violations) console.info(`${name}: ${describeViolation(violation, faults, began)}`);
}

/** Returns a violation as text, with the faults around its beginning. */
export function describeViolation(
  { kind, target, text, from, to }: Violation,
  faults: readonly CausedFault[],
  began: number,
): string {
  const seconds = (at: number) => `${((at - began) / 1_000).toFixed(1)} s`;
  const atThatTime = faults.filter((fault) => fault.from <= from + INTERVAL_MS && fault.to >= from - 10_000);
  const named = atThatTime.map((fault) => `${describeDisturbance(fault.disturbance)} at ${seconds(fault.from)}`);
  return `${kind}: ${target}: ${text}, from ${seconds(from)} to ${seconds(to)}. Faults then: ${named.join('; ') || 'none'}`;
}
