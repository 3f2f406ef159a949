import { expect, test } from 'vitest';
import { problemsOfQuietHours, quietUntil } from './quiet-hours.ts';

const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
const lunch = { from: '12:00', to: '13:30', timeZone: 'America/New_York' };

test.each([
  ['in winter before the quiet hours', night, '2026-01-10T20:59:59.999Z', undefined],
  ['in winter at the first moment', night, '2026-01-10T21:00:00Z', '2026-01-11T06:00:00Z'],
  ['in winter after midnight', night, '2026-01-11T00:30:00Z', '2026-01-11T06:00:00Z'],
  ['in winter at the last moment', night, '2026-01-11T05:59:59.999Z', '2026-01-11T06:00:00Z'],
  ['in winter at the end', night, '2026-01-11T06:00:00Z', undefined],
  ['in summer', night, '2026-07-10T20:00:00Z', '2026-07-11T05:00:00Z'],
  ['within one day', lunch, '2026-01-10T17:00:00Z', '2026-01-10T18:30:00Z'],
  ['within one day, at the last second', lunch, '2026-01-10T18:29:59Z', '2026-01-10T18:30:00Z'],
  ['within one day, at the end', lunch, '2026-01-10T18:30:00Z', undefined],
  ['in a night that is one hour shorter', night, '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z'],
  ['in a night that is one hour longer', night, '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
  ['if the clock skips the end', { ...night, to: '02:30' }, '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
  ['if the end occurs twice', { ...night, to: '02:30' }, '2026-10-24T23:00:00Z', '2026-10-25T00:30:00Z'],
  [
    'if the end occurs twice, after its first occurrence',
    { ...night, to: '02:30' },
    '2026-10-25T01:00:00Z',
    '2026-10-25T01:30:00Z',
  ],
  [
    'in a time zone with an offset of half an hour',
    { from: '23:00', to: '06:00', timeZone: 'Asia/Kolkata' },
    '2026-01-10T17:30:00Z',
    '2026-01-11T00:30:00Z',
  ],
  [
    'if only one minute of the day is not quiet',
    { from: '08:00', to: '07:59', timeZone: 'UTC' },
    '2026-01-10T08:00:00Z',
    '2026-01-11T07:59:00Z',
  ],
])('quietUntil() returns the end of the current quiet hours or undefined: %s', (_, hours, now, until) => {
  expect(quietUntil(hours, new Date(now))).toEqual(until === undefined ? undefined : new Date(until));
});

test.each([
  [{ from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }, []],
  [{ from: '00:00', to: '23:59', timeZone: 'UTC' }, []],
  [{ from: '24:00', to: '07:00', timeZone: 'UTC' }, ['from']],
  [{ from: '22:00', to: '7:00', timeZone: 'UTC' }, ['to']],
  [{ from: '22:00', to: '22:00', timeZone: 'UTC' }, ['to']],
  [{ from: '22:00', to: '07:60', timeZone: 'UTC' }, ['to']],
  [{ from: '', to: '', timeZone: '' }, ['from', 'to', 'time_zone']],
  [{ from: '22:00', to: '07:00', timeZone: 'Europe/Atlantis' }, ['time_zone']],
  [{ from: '22:00', to: '07:00', timeZone: '+01:00' }, ['time_zone']],
])('the quiet hours %j have the invalid fields %j', (hours, fields) => {
  expect([...problemsOfQuietHours(hours).keys()]).toEqual(fields);
});
