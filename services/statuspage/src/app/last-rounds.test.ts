import { expect, test } from 'vitest';
import { LastRoundsReader } from './last-rounds.ts';

const page = { organizationId: 'acme', pageId: 'page' };

test('last rounds are read again after 15 seconds, and after the clock was set back by an hour', async () => {
  let now = Date.parse('2026-01-10T12:00:00Z');
  let requests = 0;
  const monitors = {
    existing: async () => [],
    async lastRounds() {
      requests += 1;
      return new Map();
    },
  };
  const reader = new LastRoundsReader(monitors, () => new Date(now));
  const requestsAfter = async (ms: number) => {
    now += ms;
    await reader.read(page, ['monitor']);
    return requests;
  };
  expect(await requestsAfter(0)).toBe(1);
  expect(await requestsAfter(14_999)).toBe(1);
  expect(await requestsAfter(1)).toBe(2);
  expect(await requestsAfter(-3_600_000)).toBe(3);
});
