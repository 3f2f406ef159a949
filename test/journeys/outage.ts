import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, seededRandom } from '@tocsin/testing';
import { expect } from 'vitest';
import type { Network, Victim } from '../network.ts';
import type { Receiver } from '../receiver.ts';
import type { Target } from '../target.ts';
import type { Shop } from './shop.ts';

/** Timeout that is long enough for the killed process to restart and catch up. */
const timing = { timeoutMs: 60_000, intervalMs: 100 };

/**
 * Maximum milliseconds from the start of an outage or recovery to the kill. Every step of the reaction is within this
 * time, so that a kill at a random moment can hit each step.
 */
const KILL_WITHIN_MS = 1_500;

/**
 * Runs an outage of a target, and kills a process of the product while the monitor goes down and again while it
 * recovers. Verifies the end result: one disruption, one alert per channel and transition, and a correct page.
 */
export async function outageWithCrash(
  network: Network,
  shop: Shop,
  target: Target,
  receiver: Receiver,
  victim: Victim,
): Promise<void> {
  const hook = `/${shop.slug}/hook`;
  const slack = `/${shop.slug}/slack`;
  const before = { disruptions: (await shop.disruptions()).length, alerts: receiver.alerts(hook).length };
  await eventually(async () => expect(await shop.state()).toBe('up'), timing);

  target.break();
  await crashDuring(network, shop, victim);
  await eventually(async () => expect(await shop.state()).toBe('down'), timing);
  for (const path of [hook, slack]) {
    await eventually(async () => expect(receiver.alerts(path)).toHaveLength(before.alerts + 1), timing);
  }
  await eventually(async () => expect(await shop.page()).toContain('Major outage'), timing);

  target.repair();
  await crashDuring(network, shop, victim);
  await eventually(async () => expect(await shop.state()).toBe('up'), timing);
  for (const path of [hook, slack]) {
    await eventually(async () => expect(receiver.alerts(path)).toHaveLength(before.alerts + 2), timing);
  }
  await eventually(async () => expect(await shop.page()).not.toContain('Major outage'), timing);
  await eventually(async () => {
    const disruptions = await shop.disruptions();
    expect(disruptions).toHaveLength(before.disruptions + 1);
    expect(disruptions[0]).toMatchObject({ auto_created: true, status: 'resolved' });
  }, timing);
  expect(
    receiver
      .alerts(hook)
      .slice(-2)
      .map(({ body }) => body.event),
  ).toEqual(['monitor_down', 'monitor_recovered']);
}

const random = seededRandom('crashes during an outage');

async function crashDuring(network: Network, shop: Shop, victim: Victim): Promise<void> {
  await eventually(() => shop.nudge(), timing);
  await sleep(random() * KILL_WITHIN_MS);
  network.kill(victim);
}
