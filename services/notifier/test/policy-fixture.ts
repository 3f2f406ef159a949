import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import type { OutageDisruption } from '../src/domain/outage.ts';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

export const DOWN_AT = '2026-01-01T10:00:00Z';
export const UP_AT = '2026-01-01T10:05:00Z';
export const MINUTE_MS = 60_000;
/** Time limit for due messages. The loops that send them run every second. */
export const SOON = { timeoutMs: 30_000 };

/** Starts a notifier whose clock a test can advance, with fake disruptions and maintenances. */
export async function policyFixture() {
  let offset = 0;
  const now = () => new Date(Date.now() + offset);
  const handled = new Map<string, OutageDisruption>();
  const disruptions = {
    find: async (_: string, id: string) => handled.get(id),
    acknowledge: async () => 'acknowledged' as const,
  };
  const maintained = new Set<string>();
  const maintenance = { covers: async (_: string, monitorId: string) => maintained.has(monitorId) };
  const fixture = await channelFixture({ calmChanges: 4 }, { now, disruptions, maintenance });
  const { receiver, newChannel } = fixture;

  const bodiesOn = (path: string) => receiver.on(path).map(({ body }) => JSON.parse(body));
  const eventsOn = (path: string): string[] => bodiesOn(path).map(({ event }) => event);
  /**
   * Waits until these events arrived on a path and all attempts are recorded. If the clock were advanced earlier, an
   * unrecorded attempt would be repeated.
   */
  const arrived = (path: string, events: string[]) =>
    eventually(async () => {
      expect(eventsOn(path)).toEqual(events);
      const sql = `select from delivery where status = 'pending' and leased_until is not null`;
      expect(await fixture.query(sql)).toEqual([]);
    }, SOON);

  /** Waits until every loop has run once more. A message that has not arrived by then is not due. */
  async function loopsRan(): Promise<void> {
    const acme = v7();
    const channel = await newChannel(acme);
    const policy = { reminderMinutes: 5 };
    await fixture.rpc.updateChannel({ id: channel.id, ...policy }, await fixture.as(acme));
    const probe = aMonitor(acme, [channel.id]);
    await fixture.publishAt(now(), probe.wentDown(DOWN_AT, 'status 502', v7()));
    await arrived(channel.path, ['monitor_down']);
    await fixture.query(`update outage_timer set due_at = $1 where monitor_id = $2`, [now(), probe.id]);
    await eventually(() => expect(eventsOn(channel.path)).toContain('monitor_still_down'), SOON);
    await fixture.publishAt(now(), probe.recovered(UP_AT, DOWN_AT));
    await eventually(() => expect(eventsOn(channel.path)).toContain('monitor_recovered'), SOON);
  }

  return {
    fixture,
    now,
    /** Advances the clock. */
    pass(minutes: number): void {
      offset += minutes * MINUTE_MS;
    },
    /** Disruptions by id, with what people did about them. */
    handled,
    /** Ids of the monitors under maintenance. */
    maintained,
    bodiesOn,
    eventsOn,
    arrived,
    loopsRan,
  };
}
