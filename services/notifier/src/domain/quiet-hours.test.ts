import { expect, test } from 'vitest';
import { problemsOfQuietHours, quietUntil } from './quiet-hours.ts';

const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
const lunch = { from: '12:00', to: '13:30', timeZone: 'America/New_York' };

test.each([
  ['winter: before', night, '2026-01-10T20:59:59.999Z', undefined],
  ['winter: the first moment', night, '2026-01-10T21:00:00Z', '2026-01-11T06:00:00Z'],
  ['winter: after midnight', night, '2026-01-11T00:30:00Z', '2026-01-11T06:00:00Z'],
  ['winter: the last moment', night, '2026-01-11T05:59:59.999Z', '2026-01-11T06:00:00Z'],
  ['winter: the end', night, '2026-01-11T06:00:00Z', undefined],
  ['summer', night, '2026-07-10T20:00:00Z', '2026-07-11T05:00:00Z'],
  ['within one day', lunch, '2026-01-10T17:00:00Z', '2026-01-10T18:30:00Z'],
  ['within one day, at the last second', lunch, '2026-01-10T18:29:59Z', '2026-01-10T18:30:00Z'],
  ['within one day, at the end', lunch, '2026-01-10T18:30:00Z', undefined],
  ['a night with an hour less', night, '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z'],
  ['a night with an hour more', night, '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
  ['an end that the clock skips', { ...night, to: '02:30' }, '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
  ['an end that occurs twice', { ...night, to: '02:30' }, '2026-10-24T23:00:00Z', '2026-10-25T00:30:00Z'],
  [
    'an end that occurs twice, after the first occurrence',
    { ...night, to: '02:30' },
    '2026-10-25T01:00:00Z',
    '2026-10-25T01:30:00Z',
  ],
  [
    'a time zone with half an hour',
    { from: '23:00', to: '06:00', timeZone: 'Asia/Kolkata' },
    '2026-01-10T17:30:00Z',
    '2026-01-11T00:30:00Z',
  ],
  [
    'all of the day except one minute',
    { from: '08:00', to: '07:59', timeZone: 'UTC' },
    '2026-01-10T08:00:00Z',
    '2026-01-11T07:59:00Z',
  ],
])('quiet hours end at the expected time: %s', (_, hours, now, until) => {
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
])('the invalid fields of the quiet hours %j', (hours, fields) => {
  expect([...problemsOfQuietHours(hours).keys()]).toEqual(fields);
});
