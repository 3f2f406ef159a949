import { expect, test } from 'vitest';
import { dayBars, type EnteredTime, hasCounted, type StatusInterval, uptimeOf } from './day-bars.ts';
import type { ShownStatus } from './shown-status.ts';

const at = (text: string) => new Date(`2026-03-${text}Z`);
const interval = (status: ShownStatus, from: string, to?: string): StatusInterval => ({
  status,
  startedAt: at(from),
  endedAt: to === undefined ? undefined : at(to),
});
const entered = (status: EnteredTime['status'], from: string, to: string): EnteredTime => ({
  status,
  isAutomatic: false,
  startedAt: at(from),
  endedAt: at(to),
});
const automatic = (...time: Parameters<typeof entered>): EnteredTime => ({ ...entered(...time), isAutomatic: true });

/** Returns each day's status, and how many minutes each status lasted. */
function barsOf(intervals: StatusInterval[], overlays: EnteredTime[], now: string, days = 3) {
  return dayBars(intervals, overlays, { days, now: at(now) }).map(({ date, status, times }) => [
    date.toISOString().slice(8, 10),
    status,
    Object.fromEntries([...times].map(([name, ms]) => [name, ms / 60_000])),
  ]);
}

test.each<[string, StatusInterval[], EnteredTime[], string, unknown[]]>([
  [
    'a component without intervals has no data',
    [],
    [],
    '29T12:00',
    [
      ['27', 'no_data', { no_data: 1440 }],
      ['28', 'no_data', { no_data: 1440 }],
      ['29', 'no_data', { no_data: 720 }],
    ],
  ],
  [
    'a component has no data before it exists, and the current day ends now, even on the day of a clock change',
    [interval('operational', '28T18:00')],
    [],
    '29T02:30',
    [
      ['27', 'no_data', { no_data: 1440 }],
      ['28', 'operational', { no_data: 1080, operational: 360 }],
      ['29', 'operational', { operational: 150 }],
    ],
  ],
  [
    'an outage over midnight counts on both days',
    [
      interval('operational', '01T00:00', '28T23:50'),
      interval('major_outage', '28T23:50', '29T00:20'),
      interval('operational', '29T00:20'),
    ],
    [],
    '29T01:00',
    [
      ['27', 'operational', { operational: 1440 }],
      ['28', 'major_outage', { operational: 1430, major_outage: 10 }],
      ['29', 'major_outage', { major_outage: 20, operational: 40 }],
    ],
  ],
  [
    'an outage that ends at midnight does not count on the next day',
    [interval('partial_outage', '28T23:00', '29T00:00'), interval('operational', '29T00:00')],
    [],
    '29T01:00',
    [
      ['27', 'no_data', { no_data: 1440 }],
      ['28', 'partial_outage', { no_data: 1380, partial_outage: 60 }],
      ['29', 'operational', { operational: 60 }],
    ],
  ],
  [
    'at each moment the worst of intervals and entered times counts',
    [
      interval('operational', '27T00:00', '28T02:00'),
      interval('major_outage', '28T02:00', '28T03:00'),
      interval('operational', '28T03:00'),
    ],
    [entered('partial_outage', '28T01:00', '28T04:00'), entered('degraded_performance', '28T03:30', '28T05:00')],
    '29T00:00',
    [
      ['27', 'operational', { operational: 1440 }],
      ['28', 'major_outage', { operational: 1200, partial_outage: 120, major_outage: 60, degraded_performance: 60 }],
      ['29', 'no_data', {}],
    ],
  ],
  [
    'entered times make unknown times known, and are cut to the days and to now',
    [interval('not_monitored', '28T00:00')],
    [entered('major_outage', '26T00:00', '27T01:00'), entered('major_outage', '29T00:30', '30T00:00')],
    '29T01:00',
    [
      ['27', 'major_outage', { major_outage: 60, no_data: 1380 }],
      ['28', 'not_monitored', { not_monitored: 1440 }],
      ['29', 'major_outage', { not_monitored: 30, major_outage: 30 }],
    ],
  ],
  [
    'a period under maintenance stays one if an automatic disruption is entered for it later, but not if a person enters it',
    [
      interval('operational', '27T00:00', '28T02:00'),
      interval('under_maintenance', '28T02:00', '28T03:00'),
      interval('major_outage', '28T03:00', '28T03:02'),
      interval('operational', '28T03:02'),
    ],
    [automatic('major_outage', '28T01:50', '28T03:00'), entered('partial_outage', '28T02:50', '28T03:00')],
    '29T00:00',
    [
      ['27', 'operational', { operational: 1440 }],
      ['28', 'major_outage', { operational: 1368, major_outage: 12, under_maintenance: 50, partial_outage: 10 }],
      ['29', 'no_data', {}],
    ],
  ],
  [
    'an interval that starts in the future does not count',
    [interval('operational', '01T00:00', '29T02:00'), interval('major_outage', '29T02:00')],
    [],
    '29T01:00',
    [
      ['27', 'operational', { operational: 1440 }],
      ['28', 'operational', { operational: 1440 }],
      ['29', 'operational', { operational: 60 }],
    ],
  ],
])('in the bars of the last days, %s', (_, intervals, overlays, now, bars) => {
  expect(barsOf(intervals, overlays, now)).toEqual(bars);
});

test('very many entered times and maintenances of one component are summed up in one pass', () => {
  const minute = (index: number) => new Date(Date.UTC(2026, 2, 1) + index * 60_000);
  const maintenances = Array.from({ length: 20_000 }, (_, index) => ({
    status: 'under_maintenance' as const,
    startedAt: minute(2 * index),
    endedAt: minute(2 * index + 1),
  }));
  const outages = Array.from({ length: 5_000 }, (_, index) => ({
    status: 'major_outage' as const,
    isAutomatic: true,
    startedAt: minute(index),
    endedAt: minute(40_000),
  }));
  // Comparing each outage with each maintenance would take longer than the time limit of a test.
  const [first] = dayBars(maintenances, outages, { days: 90, now: minute(60_000) }).slice(-42);
  expect(first?.times).toEqual(
    new Map([
      ['under_maintenance', 720 * 60_000],
      ['major_outage', 720 * 60_000],
    ]),
  );
});

const DAY = 2 * 24 * 3_600_000;

test.each<[string, [ShownStatus, number][], number | undefined]>([
  ['without any known time, there is no uptime', [['no_data', DAY]], undefined],
  ['without any monitored time, there is no uptime', [['not_monitored', DAY]], undefined],
  ['operational time counts as uptime', [['operational', DAY]], 100],
  ['degraded performance counts as uptime', [['degraded_performance', DAY]], 100],
  ['maintenance counts as uptime', [['under_maintenance', DAY]], 100],
  [
    'a major outage counts fully',
    [
      ['operational', DAY / 2],
      ['major_outage', DAY / 2],
    ],
    50,
  ],
  [
    'a partial outage counts at 30 %',
    [
      ['operational', DAY / 2],
      ['partial_outage', DAY / 2],
    ],
    85,
  ],
  [
    'unknown time does not count',
    [
      ['no_data', DAY / 2],
      ['operational', DAY / 4],
      ['major_outage', DAY / 4],
    ],
    50,
  ],
  ['a permanent major outage leaves no uptime', [['major_outage', DAY]], 0],
])('uptime: %s', (_, times, uptime) => {
  const date = at('01T00:00');
  const bar = { date, status: 'operational', times: new Map(times), counted: new Map(times) } as const;
  if (uptime === undefined) expect(uptimeOf([bar])).toBeUndefined();
  else expect(uptimeOf([bar])).toBeCloseTo(uptime, 10);
});

test.each<[string, StatusInterval[], number | undefined]>([
  ['does not lower the uptime of other times', [interval('operational', '29T00:00')], 100],
  ['creates no uptime if the status was unknown', [interval('no_data', '27T00:00')], undefined],
  ['lowers the uptime if the component was observed', [interval('operational', '27T00:00', '28T00:00')], 50],
])('an outage that a person enters for a period partly or fully without data %s', (_, intervals, uptime) => {
  const outage = entered('major_outage', '27T12:00', '28T12:00');
  expect(uptimeOf(dayBars(intervals, [outage], { days: 4, now: at('30T00:00') }))).toBe(uptime);
});

test.each<[string, string | undefined, ShownStatus[], number | undefined]>([
  ['without a start date, all days count', undefined, ['major_outage', 'operational', 'operational'], 77.5],
  [
    'days before the start date have no data and do not count',
    '2026-03-28',
    ['no_data', 'operational', 'operational'],
    100,
  ],
  [
    'a start date before the first day changes nothing',
    '2020-01-01',
    ['major_outage', 'operational', 'operational'],
    77.5,
  ],
  [
    'before the start date, the component has no data at all',
    '2026-03-30',
    ['no_data', 'no_data', 'no_data'],
    undefined,
  ],
])('the start date of a component: %s', (_, startDate, statuses, uptime) => {
  const outage = entered('major_outage', '27T00:00', '27T12:00');
  const observed = [interval('major_outage', '27T00:00', '27T12:00'), interval('operational', '27T12:00')];
  const bars = dayBars(observed, [outage], { days: 3, now: at('29T05:20'), startDate });
  expect(bars.map(({ status }) => status)).toEqual(statuses);
  if (uptime === undefined) expect(uptimeOf(bars)).toBeUndefined();
  else expect(uptimeOf(bars)).toBeCloseTo(uptime, 10);
});

test('the uptime is undefined until a full day has been counted, and a period without data is not counted', () => {
  const bars = (to: string) => dayBars([interval('operational', '28T00:00')], [], { days: 3, now: at(to) });
  expect(uptimeOf(bars('28T23:59:59.999'))).toBeUndefined();
  expect(hasCounted(bars('28T23:59:59.999'))).toBe(true);
  expect(uptimeOf(bars('29T00:00'))).toBe(100);
  expect(hasCounted(dayBars([interval('no_data', '27T00:00')], [], { days: 3, now: at('29T12:00') }))).toBe(false);
});
