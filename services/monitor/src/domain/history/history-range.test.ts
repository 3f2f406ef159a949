import fc from 'fast-check';
import { expect, test } from 'vitest';
import { floorToDay, floorToHour, piecesOf, RANGE_HOURS, spanOf } from './history-range.ts';

const now = new Date('2026-11-20T10:20:30Z');

function spell(from: string, to: string, rolledTo: string): string[] {
  const pieces = piecesOf({ from: new Date(from), to: new Date(to) }, new Date(rolledTo));
  return pieces.map(({ source, from, to }) => `${source} ${from.toISOString()} ${to.toISOString()}`);
}

test('a range of up to a day is exact to the millisecond, and a longer range starts at a full hour', () => {
  expect(spanOf(1, now)).toEqual({ from: new Date('2026-11-20T09:20:30Z'), to: now });
  expect(spanOf(24, now).from).toEqual(new Date('2026-11-19T10:20:30Z'));
  expect(spanOf(168, now).from).toEqual(new Date('2026-11-13T10:00:00Z'));
});

test('the full days of a range are read from daily counts, and the rest from hourly counts and results', () => {
  expect(spell('2026-11-13T10:00:00Z', '2026-11-20T10:20:30Z', '2026-11-20T10:00:00Z')).toEqual([
    'hours 2026-11-13T10:00:00.000Z 2026-11-14T00:00:00.000Z',
    'days 2026-11-14T00:00:00.000Z 2026-11-20T00:00:00.000Z',
    'hours 2026-11-20T00:00:00.000Z 2026-11-20T10:00:00.000Z',
    'results 2026-11-20T10:00:00.000Z 2026-11-20T10:20:30.000Z',
  ]);
});

test('the incomplete first and last hours of a span are read from results', () => {
  expect(spell('2026-11-20T04:20:30Z', '2026-11-20T10:20:30Z', '2026-11-20T10:00:00Z')).toEqual([
    'results 2026-11-20T04:20:30.000Z 2026-11-20T05:00:00.000Z',
    'hours 2026-11-20T05:00:00.000Z 2026-11-20T10:00:00.000Z',
    'results 2026-11-20T10:00:00.000Z 2026-11-20T10:20:30.000Z',
  ]);
});

test('hours that are not counted yet are read from results', () => {
  expect(spell('2026-11-20T04:20:30Z', '2026-11-20T10:20:30Z', '2026-11-20T04:00:00Z')).toEqual([
    'results 2026-11-20T04:20:30.000Z 2026-11-20T10:20:30.000Z',
  ]);
});

test('the pieces of a span have no gaps, and pieces with counts cover only whole hours and days that have been counted', () => {
  const day = 86_400_000;
  const property = fc.property(
    fc.constantFrom(...RANGE_HOURS),
    fc.integer({ min: 0, max: 3 * day }),
    fc.integer({ min: -50, max: 2 }),
    (range, moment, behind) => {
      const at = new Date(now.getTime() + moment);
      const span = spanOf(range, at);
      const rolledTo = new Date(floorToHour(at).getTime() + behind * 3_600_000);
      const pieces = piecesOf(span, rolledTo);
      expect(pieces[0]?.from).toEqual(span.from);
      expect(pieces.at(-1)?.to).toEqual(span.to);
      for (const [index, { source, from, to }] of pieces.entries()) {
        if (index > 0) expect(from).toEqual(pieces[index - 1]?.to);
        expect(from < to).toBe(true);
        if (source === 'results') continue;
        expect(to <= rolledTo).toBe(true);
        const align = source === 'days' ? floorToDay : floorToHour;
        expect([align(from), align(to)]).toEqual([from, to]);
      }
    },
  );
  fc.assert(property);
});
