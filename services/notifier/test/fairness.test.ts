import type { Transaction } from '@tocsin/database';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, newChannel } = fixture;
const end = Promise.withResolvers<void>();
afterAll(async () => {
  // The notifier waits for its running requests before it stops.
  end.resolve();
  await fixture[Symbol.asyncDispose]();
});

const DOWN_AT = '2026-01-01T10:00:00Z';
const VICTIM_ALERTS = 100;
const MAX_P99_MS = 1_000;

/** Creates channels of an organization. Their receiver accepts requests but does not respond before the end. */
async function hangingChannels(organizationId: string, count: number) {
  const channels: Awaited<ReturnType<typeof newChannel>>[] = [];
  while (channels.length < count) channels.push(await newChannel(organizationId));
  for (const { path } of channels) receiver.answer(path, () => end.promise.then(() => ({ status: 204 })));
  return channels;
}

/**
 * Sends alerts one after another. Returns the milliseconds from each event to the receipt of its alert, in ascending
 * order.
 */
async function alertTimes(): Promise<number[]> {
  const victim = v7();
  const channel = await newChannel(victim);
  const times: number[] = [];
  for (let nth = 1; nth <= VICTIM_ALERTS; nth += 1) {
    const startedAt = performance.now();
    await fixture.publish(aMonitor(victim, [channel.id]).wentDown(DOWN_AT));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(nth));
    times.push((receiver.on(channel.path)[nth - 1]?.at ?? Number.NaN) - startedAt);
  }
  return times.sort((a, b) => a - b);
}

test.each([
  [8, 20],
  [200, 1],
])(
  '%i hanging channels and %i monitors of one organization do not delay the alerts of another organization',
  async (count, monitors) => {
    const hostile = v7();
    const channels = await hangingChannels(hostile, count);
    const ids = channels.map(({ id }) => id);
    await fixture.publish(...Array.from({ length: monitors }, () => aMonitor(hostile, ids).wentDown(DOWN_AT)));
    await eventually(() => {
      const waiting = channels.filter(({ path }) => receiver.on(path).length > 0);
      expect(waiting.length).toBeGreaterThanOrEqual(8);
    });
    const times = await alertTimes();
    const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
    expect(p99).toBeLessThan(MAX_P99_MS);
  },
  60_000,
);

test('a receiver counts as slow after a timeout, until it responds in time', async () => {
  const organizationId = v7();
  const channel = await newChannel(organizationId);
  const slow = async () =>
    (await fixture.query('select from slow_recipient where recipient_id = $1', [channel.id])).length > 0;
  const release = Promise.withResolvers<void>();
  receiver.answer(channel.path, async (nth) => {
    if (nth === 0) await end.promise;
    await release.promise;
    return { status: 204 };
  });
  await fixture.publish(aMonitor(organizationId, [channel.id]).wentDown(DOWN_AT));
  await eventually(async () => expect(await slow()).toBe(true), { timeoutMs: 25_000 });
  release.resolve();
  await fixture.finished(channel.id, ['sent']);
  expect(await slow()).toBe(false);
}, 180_000);

/** Publishes an outage and its end. Their two deliveries to a channel wait until `release` is called. */
async function twoWaiting() {
  const organizationId = v7();
  const channel = await newChannel(organizationId);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  receiver.answer(channel.path, async () => {
    await released;
    return { status: 204 };
  });
  const monitor = aMonitor(organizationId, [channel.id]);
  await fixture.publish(monitor.wentDown(DOWN_AT));
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z', DOWN_AT));
  await eventually(async () => expect(await fixture.deliveriesOf(channel.id)).toHaveLength(2));
  return { channel, monitor, release };
}

test('the table delivery_head contains the oldest unfinished delivery for each pair of a resource and a recipient', async () => {
  const { channel, release } = await twoWaiting();
  const heads = () =>
    fixture.query<{ kind: string }>(
      `select a.kind from delivery_head h join delivery d on d.id = h.delivery_id join alert a on a.id = d.alert_id
       where h.recipient_id = $1`,
      [channel.id],
    );
  expect(await heads()).toEqual([{ kind: 'monitor_down' }]);
  release();
  await fixture.finished(channel.id, ['sent', 'sent']);
  expect(await heads()).toEqual([]);
});

test('later deliveries are sent, even if two transactions end the two oldest ones at the same time', async () => {
  const { channel, monitor, release } = await twoWaiting();
  const [oldest, next] = await fixture.query<{ id: string }>(
    'select id from delivery where channel_id = $1 order by position',
    [channel.id],
  );
  const drop = (tx: Transaction, id: string | undefined) =>
    tx.query(`update delivery set status = 'dropped', finished_at = now() where id = $1`, [id]);
  // Neither transaction sees the change of the other.
  await fixture.database.transaction('every organization', async (first) => {
    await drop(first, oldest?.id);
    await fixture.database.transaction('every organization', (second) => drop(second, next?.id));
  });
  release();
  await fixture.publish(monitor.wentDown('2026-01-01T10:10:00Z'));
  await eventually(async () =>
    expect((await fixture.deliveriesOf(channel.id)).map(({ status }) => status)).toContain('sent'),
  );
});
