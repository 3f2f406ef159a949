import { openDatabase } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { DomainStatus } from '@tocsin/proto/statuspage/v1/custom_domain';
import { createLogger } from '@tocsin/runtime';
import { manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { LastRoundsReader } from '../src/app/last-rounds.ts';
import type { Deps } from '../src/app/ports.ts';
import { recheckDomains } from '../src/app/recheck-domains.ts';
import { entities } from '../src/storage/schema.ts';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const DAY_MS = 24 * 3_600_000;
const clock = manualClock('2026-01-01T00:00:00Z');
const zone = new Map<string, string[] | ServiceError>();
const dns: Deps['dns'] = {
  async lookup(type, name) {
    const response = zone.get(`${type} ${name}`) ?? [];
    if (response instanceof ServiceError) throw response;
    return response;
  },
};
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const fixture = stack.use(await statusPageFixture({ now: clock.now, dns }));
const { rpc } = fixture;
const us = await fixture.as(v7());
const database = stack.use(await openDatabase({ url: fixture.databaseUrl, entities, migrations: [] }));
const address = { baseUrl: 'http://tocsin.test', statusDomain: undefined };
const monitors = { existing: async () => [], lastRounds: async () => new Map() };
const lastRounds = new LastRoundsReader(monitors, clock.now);

/** Runs the check that a replica runs every minute. */
async function recheck(): Promise<void> {
  const deps = { database, monitors, lastRounds, dns, address, writeNotice: () => undefined, now: clock.now };
  while ((await recheckDomains(deps, createLogger('statuspage', 'silent'))) === 'again');
}

async function activeDomain() {
  const slug = freshSlug();
  const domain = `status.${slug}.example`;
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  const statusPageId = statusPage?.id ?? '';
  const { customDomain } = await rpc.setCustomDomain({ statusPageId, domain }, us);
  const proof = `TXT _tocsin-verify.${domain}`;
  const token = customDomain?.records[1]?.value ?? '';
  zone.set(proof, [token]);
  await rpc.verifyCustomDomain({ statusPageId }, us);
  return {
    statusPageId,
    prove: () => zone.set(proof, [token]),
    remove: () => zone.delete(proof),
    breakDns: () => zone.set(proof, new ServiceError('unavailable', 'DNS did not respond')),
    current: async () => (await rpc.getCustomDomain({ statusPageId }, us)).customDomain,
    isServed: async () => (await fetch(fixture.url, { headers: { 'x-forwarded-host': domain } })).status === 200,
  };
}

const unproven = { status: DomainStatus.ACTIVE, unprovenSince: expect.anything() };

test('a domain without proof is served for two more weeks, and its owner sees that the proof is missing', async () => {
  const domain = await activeDomain();
  domain.remove();
  clock.advance(7 * DAY_MS - 1);
  await recheck();
  expect(await domain.current()).not.toHaveProperty('unprovenSince');
  clock.advance(1);
  await recheck();
  expect(await domain.current()).toMatchObject(unproven);
  for (let day = 1; day < 14; day += 1) {
    clock.advance(DAY_MS);
    await recheck();
  }
  expect(await domain.current()).toMatchObject(unproven);
  expect(await domain.isServed()).toBe(true);
  clock.advance(DAY_MS);
  await recheck();
  expect(await domain.current()).toMatchObject({ status: DomainStatus.FAILED });
  expect(await domain.isServed()).toBe(false);
});

test('a domain stays active if its proof is restored', async () => {
  const domain = await activeDomain();
  domain.remove();
  clock.advance(7 * DAY_MS);
  await recheck();
  expect(await domain.current()).toMatchObject(unproven);
  domain.prove();
  clock.advance(DAY_MS);
  await recheck();
  expect((await domain.current())?.unprovenSince).toBeUndefined();
  clock.advance(30 * DAY_MS);
  await recheck();
  expect(await domain.isServed()).toBe(true);
});

test('a DNS failure does not change the domain, and does not delay other domains', async () => {
  const [domain, other] = [await activeDomain(), await activeDomain()];
  domain.breakDns();
  other.remove();
  for (let day = 0; day < 30; day += 1) {
    clock.advance(DAY_MS);
    await recheck();
  }
  expect(await domain.isServed()).toBe(true);
  expect((await domain.current())?.unprovenSince).toBeUndefined();
  expect(await other.isServed()).toBe(false);
});

test('the owner can verify an unproven domain immediately', async () => {
  const domain = await activeDomain();
  domain.remove();
  clock.advance(7 * DAY_MS);
  await recheck();
  domain.prove();
  clock.advance(1);
  const { customDomain } = await rpc.verifyCustomDomain({ statusPageId: domain.statusPageId }, us);
  expect(customDomain?.unprovenSince).toBeUndefined();
});
