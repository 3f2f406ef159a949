import { expect, test } from 'vitest';
import { dayBars, type StatusInterval } from '../domain/day-bars.ts';
import { textsOf } from './messages/texts.ts';
import { uptimeHtml } from './uptime-html.ts';

const NOW = new Date('2026-01-10T12:00:00Z');
const at = (time: string) => new Date(`2026-01-${time}:00Z`);
const interval = (status: StatusInterval['status'], from: string, until?: string): StatusInterval => ({
  status,
  startedAt: at(from),
  endedAt: until === undefined ? undefined : at(until),
});

function dataOf(...intervals: StatusInterval[]): string | undefined {
  const html = String(uptimeHtml(dayBars(intervals, [], { days: 5, now: NOW }), textsOf('en'), true));
  return /data-days="([^"]*)"/.exec(html)?.[1];
}

test.each<[string, StatusInterval[], string]>([
  ['operational days', [interval('operational', '01T00:00')], ''],
  ['days without data', [interval('operational', '09T00:00')], '0-2:n'],
  [
    'a single day without monitoring',
    [
      interval('operational', '01T00:00', '07T00:00'),
      interval('not_monitored', '07T00:00', '08T00:00'),
      interval('operational', '08T00:00'),
    ],
    '1:x',
  ],
  [
    'an hour without data on an operational day',
    [
      interval('operational', '01T00:00', '09T10:00'),
      interval('no_data', '09T10:00', '09T11:00'),
      interval('operational', '09T11:00'),
    ],
    '3:on60',
  ],
  [
    'an hour without data on the day of an outage',
    [
      interval('operational', '01T00:00', '09T10:00'),
      interval('no_data', '09T10:00', '09T11:00'),
      interval('major_outage', '09T11:00', '09T11:20'),
      interval('operational', '09T11:20'),
    ],
    '3:m20n60',
  ],
])('the attribute data-days lists the days with an outage or missing data: %s', (_, intervals, data) => {
  expect(dataOf(...intervals)).toBe(data);
});

test('data-days omits a no_data period of less than a minute, and lists an outage of a second as one minute', () => {
  const short = (status: StatusInterval['status'], seconds: number) => {
    const end = new Date(at('09T10:00').getTime() + seconds * 1_000);
    return dataOf(
      interval('operational', '01T00:00', '09T10:00'),
      { status, startedAt: at('09T10:00'), endedAt: end },
      { status: 'operational', startedAt: end, endedAt: undefined },
    );
  };
  expect([short('no_data', 59), short('no_data', 60), short('major_outage', 1)]).toEqual(['', '3:on1', '3:m1']);
});
