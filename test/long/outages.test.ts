import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFixture } from '../journeys/fixture.ts';
import { outageWithCrash } from '../journeys/outage.ts';
import type { Shop } from '../journeys/shop.ts';
import { VICTIMS, type Victim } from '../network.ts';

const stage = await startFixture();
afterAll(() => stage[Symbol.asyncDispose]());
const { network, receiver, target } = stage;
let shop: Shop;
beforeAll(async () => {
  shop = await stage.openShop();
});

const MINUTE_MS = 60_000;
const timing = { timeoutMs: 2 * MINUTE_MS, intervalMs: 250 };

/** For one minute, kills a process again whenever its supervisor has restarted it. */
async function keepAway(victim: Victim): Promise<void> {
  const until = Date.now() + MINUTE_MS;
  while (Date.now() < until) {
    network.kill(victim);
    await sleep(200);
  }
}

test.each(['nats', 'postgres'] as const)(
  'if %s is down for a minute during an outage, the alerts are delayed but not lost',
  async (victim) => {
    await eventually(async () => expect(await shop.state()).toBe('up'), timing);
    const before = {
      alerts: receiver.alerts(`/${shop.slug}/hook`).length,
      disruptions: (await shop.disruptions()).length,
    };
    target.break();
    await keepAway(victim);
    await eventually(async () => expect(await shop.state()).toBe('down'), timing);
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/hook`)).toHaveLength(before.alerts + 1), timing);
    target.repair();
    await keepAway(victim);
    await eventually(async () => expect(await shop.state()).toBe('up'), timing);
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/hook`)).toHaveLength(before.alerts + 2), timing);
    await eventually(async () => {
      const disruptions = await shop.disruptions();
      expect(disruptions).toHaveLength(before.disruptions + 1);
      expect(disruptions[0]).toMatchObject({ status: 'resolved' });
    }, timing);
  },
);

const ROUNDS = 10;

test.each(VICTIMS)(`ten outages have the same result if %s is killed during each outage`, async (victim) => {
  for (let round = 0; round < ROUNDS; round += 1) await outageWithCrash(network, shop, target, receiver, victim);
});
