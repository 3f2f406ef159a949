import { afterAll, expect, test } from 'vitest';
import { countDown, isAttemptLeft, isWithinLimit } from '../src/app/limit-attempts.ts';
import { identityFixture } from './start-identity.ts';

const fixture = await identityFixture();
const database = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

const deps = { database, now: () => new Date() };
const network = (site: string, index: number) => `2001:db8:${site}:${index.toString(16)}::1`;

test('the networks of an IPv6 site (/48) together have ten times the limit of one network (/64)', async () => {
  const tryFrom = (index: number) => isWithinLimit(deps, 'password_from_network', network('1', index));
  for (let index = 0; index < 10; index += 1) {
    for (let attempt = 0; attempt < 30; attempt += 1) expect(await tryFrom(index)).toBe(true);
    // An attempt that exceeds the limit of its network does not count toward the limit of the site.
    expect(await tryFrom(index)).toBe(false);
  }
  expect(await tryFrom(10)).toBe(false);
  expect(await isAttemptLeft(deps, 'password_from_network', network('1', 11))).toBe(false);
  expect(await isAttemptLeft(deps, 'password_from_network', network('2', 11))).toBe(true);
  expect(await countDown(deps, 'password_from_network', network('2', 1))).toBe(29);
});

test('each IPv4 address has its own limit, even if the addresses are in the same network', async () => {
  for (let host = 1; host <= 11; host += 1) {
    for (let attempt = 0; attempt < 30; attempt += 1) {
      expect(await isWithinLimit(deps, 'password_from_network', `192.0.2.${host}`)).toBe(true);
    }
  }
});
