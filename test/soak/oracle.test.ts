import { expect, test } from 'vitest';
import type { Delivery, Evidence, Outage } from './evidence.ts';
import { GREEN_WITHIN_MS, judge, NOTICED_WITHIN_MS, RED_WITHIN_MS } from './oracle.ts';

const MINUTE = 60_000;
const outage: Outage = {
  target: 'Shop',
  status: 501,
  from: 10 * MINUTE,
  to: 12 * MINUTE,
  noticedAt: 11 * MINUTE,
  overAt: 13 * MINUTE,
};
const down: Delivery = {
  id: 'alert-1',
  event: 'monitor_down',
  target: 'Shop',
  disruptionId: 'disruption-1',
  error: 'status 501, expected 200 to 399',
  at: 11 * MINUTE,
};
const recovered: Delivery = { ...down, id: 'alert-2', event: 'monitor_recovered', error: '', at: 13 * MINUTE };

/** One response every 30 seconds for half an hour, with one outage. */
const responses = Array.from({ length: 60 }, (_, index) => {
  const at = index * 30_000;
  return { target: 'Shop', at, status: at >= outage.from && at < outage.to ? 501 : 200 };
});

/** Pings every ten seconds, with one pause of a minute that was noticed. */
const pause = { from: 10 * MINUTE, to: 11 * MINUTE, noticedAt: 10.8 * MINUTE, overAt: 11.2 * MINUTE };
const job = {
  target: 'Backup',
  failsAfterMs: 40_000,
  pings: Array.from({ length: 180 }, (_, index) => ({
    sentAt: index * 10_000,
    endedAt: index * 10_000 + 50,
    isConfirmed: true,
  })).filter(({ sentAt }) => sentAt < pause.from || sentAt >= pause.to),
  pauses: [pause],
};
const jobAlerts = [down, recovered].map((alert) => ({
  ...alert,
  id: `job-${alert.id}`,
  target: 'Backup',
  disruptionId: 'disruption-2',
  error: alert.error && 'no ping for 40 s, expected every 20 s',
}));

/** Everything went well: one outage of an http target, and one pause of a job. */
const well: Evidence = {
  targets: ['Shop', 'Backup'],
  calmFrom: 0,
  outages: [outage],
  responses,
  jobs: [job],
  transitions: [
    { target: 'Shop', state: 'up', error: '' },
    { target: 'Shop', state: 'down', error: 'status 501, expected 200 to 399' },
    { target: 'Shop', state: 'up', error: '' },
    { target: 'Backup', state: 'up', error: '' },
    { target: 'Backup', state: 'down', error: 'no ping for 40 s, expected every 20 s' },
    { target: 'Backup', state: 'up', error: '' },
  ],
  disruptions: [
    { id: 'disruption-1', target: 'Shop', isResolved: true },
    { id: 'disruption-2', target: 'Backup', isResolved: true },
  ],
  deliveries: [down, recovered, ...jobAlerts],
  views: Array.from({ length: 1_800 }, (_, second) => {
    const at = second * 1_000;
    const isDown = at >= 11 * MINUTE && at < 13 * MINUTE;
    return { at, isQualified: false, green: isDown ? ['Backup'] : ['Shop', 'Backup'] };
  }),
};

const found = (evidence: Partial<Evidence>) =>
  judge({ ...well, ...evidence }).violations.map(({ kind, text }) => `${kind}: ${text}`);

test('an outage is no violation if it has one change to down, one disruption, one alert for its beginning and one for its end', () => {
  expect(judge(well)).toEqual({ violations: [], repeats: 0 });
});

test('an alert that arrives again with the same id is counted as a repeat, and is no violation', () => {
  expect(judge({ ...well, deliveries: [down, down, recovered, ...jobAlerts] })).toEqual({ violations: [], repeats: 1 });
});

test('an outage without an alert, a transition or a disruption is reported as lost', () => {
  expect(found({ deliveries: [recovered, ...jobAlerts] })).toEqual([
    'lost: the outage with status 501 made no alert',
    'lost: disruption disruption-1 has no alert monitor_down',
  ]);
  expect(found({ transitions: well.transitions.filter(({ target }) => target !== 'Shop') })).toEqual([
    'lost: the outage with status 501 made no transition to down',
    'doubled: 0 downs made 1 disruptions',
  ]);
  expect(found({ disruptions: well.disruptions.slice(1) })).toEqual([
    'lost: an alert names disruption disruption-1, which does not exist',
  ]);
});

test('an outage or a recovery that is noticed too late or never is reported as lost', () => {
  const late = (change: Partial<Outage>) => found({ outages: [{ ...outage, ...change }] });
  const limit = NOTICED_WITHIN_MS / 1_000;
  expect(late({ noticedAt: undefined })).toEqual([
    `lost: the outage with status 501 was not noticed within ${limit} s`,
  ]);
  expect(late({ noticedAt: outage.from + NOTICED_WITHIN_MS + 1 })).toHaveLength(1);
  expect(late({ noticedAt: outage.from + NOTICED_WITHIN_MS })).toEqual([]);
  const calmLater = { ...well, calmFrom: 40 * MINUTE, outages: [{ ...outage, noticedAt: 41 * MINUTE }] };
  expect(judge(calmLater).violations).toEqual([]);
  expect(late({ overAt: undefined })).toEqual([
    `lost: the outage with status 501 ended, and that was not noticed within ${limit} s`,
  ]);
});

test('a recovery without an alert, or with an unresolved disruption, is reported as lost', () => {
  expect(found({ deliveries: [down, ...jobAlerts] })).toEqual([
    'lost: disruption disruption-1 has no alert monitor_recovered',
  ]);
  expect(
    found({ disruptions: well.disruptions.map((one) => ({ ...one, isResolved: one.id !== 'disruption-1' })) }),
  ).toEqual(['lost: disruption disruption-1 is not resolved']);
});

test('two alerts, transitions or disruptions of one outage are reported as doubled', () => {
  expect(found({ deliveries: [...well.deliveries, { ...down, id: 'alert-3' }] })).toEqual([
    'doubled: the outage with status 501 made 2 alerts: alert-1, alert-3',
    'doubled: disruption disruption-1 has 2 alerts monitor_down: alert-1, alert-3',
  ]);
  expect(found({ deliveries: [...well.deliveries, { ...recovered, id: 'alert-3' }] })).toEqual([
    'doubled: disruption disruption-1 has 2 alerts monitor_recovered: alert-2, alert-3',
  ]);
  const [first, shopDown, shopUp, ...others] = well.transitions;
  if (!first || !shopDown || !shopUp) throw new Error('the example has no transitions');
  expect(found({ transitions: [first, shopDown, shopUp, shopDown, shopUp, ...others] })).toEqual([
    'doubled: the outage with status 501 made 2 transitions to down',
    'lost: 2 downs made 1 disruptions',
  ]);
  const again = { id: 'disruption-3', target: 'Shop', isResolved: true };
  expect(found({ disruptions: [...well.disruptions, again] })).toContain('doubled: 1 downs made 2 disruptions');
});

test('a change to down with an error that the target never caused is reported as a false down', () => {
  const timeout = { target: 'Shop', state: 'down', error: 'no response within 10 s, connected' };
  expect(found({ transitions: [...well.transitions, timeout] })).toContain(
    'false down: a transition to down because of "no response within 10 s, connected"',
  );
  const early = { ...down, id: 'alert-3', at: 5 * MINUTE };
  expect(found({ deliveries: [early, ...well.deliveries] })).toContain(
    'false down: an alert because of "status 501, expected 200 to 399"',
  );
});

test('if a job has more changes to down than pauses between its pings, this is reported as a false down', () => {
  const transitions = [
    ...well.transitions,
    { target: 'Backup', state: 'down', error: 'no ping for 40 s, expected every 20 s' },
    { target: 'Backup', state: 'up', error: '' },
  ];
  expect(found({ transitions })).toContain('false down: 2 downs, but at most 1 times without a ping for 40 s');
});

test('a ping that may have arrived during a pause between confirmed pings explains a second change to down', () => {
  const transitions = [
    ...well.transitions,
    { target: 'Backup', state: 'down', error: 'no ping for 40 s, expected every 20 s' },
    { target: 'Backup', state: 'up', error: '' },
  ];
  const pings = job.pings.filter(({ sentAt }) => sentAt < pause.from || sentAt >= pause.to + 30_000);
  const verdictWith = (sentAt: number) => {
    const uncertain = { sentAt, endedAt: sentAt + 5_000, isConfirmed: false };
    const all = [...pings, uncertain].sort((one, other) => one.sentAt - other.sentAt);
    return found({ transitions, jobs: [{ ...job, pings: all }] }).filter((text) => text.startsWith('false down'));
  };
  // The last confirmed ping was sent 10 s before the pause, and the next one is sent 100 s later.
  expect(verdictWith(pause.from + 31_000)).toEqual([]);
  expect(verdictWith(pause.from)).toHaveLength(1);
});

test('a pause of a job without a change to down is reported as lost', () => {
  expect(
    found({ transitions: well.transitions.filter(({ target, state }) => target !== 'Backup' || state !== 'down') }),
  ).toContain('lost: 1 pauses of the job, 0 downs');
});

test('a component that stays green long after its last check is reported unless the page says that its content may be outdated', () => {
  const stopped = responses.filter(({ at }) => at <= 15 * MINUTE);
  expect(found({ responses: stopped })).toEqual(['green without checks: green for 899 s after its last check']);
  const qualified = well.views.map((view) => ({ ...view, isQualified: view.at > 15 * MINUTE }));
  expect(found({ responses: stopped, views: qualified })).toEqual([]);
  const gray = well.views.map((view) => ({
    ...view,
    green: view.at > 15 * MINUTE + GREEN_WITHIN_MS ? ['Backup'] : view.green,
  }));
  expect(found({ responses: stopped, views: gray })).toEqual([]);
});

test('a component that is green while its target is known to be down is reported', () => {
  const long = { ...outage, to: 20 * MINUTE, overAt: 21 * MINUTE };
  const greenUntil = (at: number) =>
    well.views.map((view) => ({ ...view, green: view.at > at ? ['Backup'] : ['Shop', 'Backup'] }));
  expect(found({ outages: [long], views: greenUntil(11 * MINUTE + RED_WITHIN_MS) })).toEqual([]);
  expect(found({ outages: [long], views: greenUntil(14 * MINUTE) })).toEqual([
    'green while down: green until 180 s after the outage with status 501 was noticed',
  ]);
});
