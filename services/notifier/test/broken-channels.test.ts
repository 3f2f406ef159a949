import { fromBinary } from '@bufbuild/protobuf';
import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { ChannelBrokenSchema } from '@tocsin/proto/notifier/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { OUTAGES_TO_BREAK } from '../src/domain/settle.ts';
import { recordSent } from '../src/storage/delivery-store.ts';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, newPath, newChannel, finished } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

describe('broken channels', () => {
  test.each([401, 403, 404, 410])(
    'after a %i response, a channel is disabled with a reason, and an event reports that the channel is broken',
    async (status) => {
      const acme = v7();
      const channel = await newChannel(acme);
      const bothWritten = Promise.withResolvers<void>();
      receiver.answer(channel.path, async () => {
        await bothWritten.promise;
        return { status };
      });
      const monitor = aMonitor(acme, [channel.id]);
      await fixture.publish(
        monitor.wentDown('2026-01-01T10:00:00Z'),
        monitor.recovered('2026-01-01T10:05:00Z', '2026-01-01T10:00:00Z'),
      );
      await finished(channel.id, ['pending', 'pending']);
      bothWritten.resolve();
      await finished(channel.id, ['held', 'held']);
      const reason = new RegExp(`^the receiver returned ${status}: .*PATCH config\\.`);
      const broken = await fixture.getChannel(acme, channel.id);
      expect(broken).toMatchObject({ enabled: false, brokenReason: expect.stringMatching(reason) });
      expect(broken?.brokenAt).toBeDefined();
      expect(receiver.on(channel.path)).toHaveLength(1);
      await eventually(async () => {
        const [, event] = await fixture.publishedAbout(channel.id);
        expect(event?.type).toBe(ChannelBrokenSchema.typeName);
        const message = fromBinary(ChannelBrokenSchema, event?.data ?? new Uint8Array());
        expect(message).toMatchObject({
          channelId: channel.id,
          name: 'Ops',
          reason: broken?.brokenReason,
        });
      });
    },
  );

  test.each([
    ['broken', `enabled = false, broken_at = now(), broken_reason = 'a test'`],
    ['disabled', 'enabled = false'],
  ])(
    'an alert that is claimed while its channel is %s, and ended while the channel is repaired, is sent',
    async (_, state) => {
      const acme = v7();
      const channel = await newChannel(acme);
      await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
      await finished(channel.id, ['sent']);
      await fixture.query(`update channel set ${state} where id = $1`, [channel.id]);
      await fixture.tables.transaction('every organization', async (tx) => {
        await tx.query('select from channel where id = $1 for update', [channel.id]);
        await fixture.query(
          `update delivery set status = 'pending', next_attempt_at = now(), finished_at = null where channel_id = $1`,
          [channel.id],
        );
        // The worker has read the delivery, and waits for the lock on its channel.
        const waiting = `select from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`;
        await eventually(async () => expect(await tx.query(waiting)).toHaveLength(1));
        await tx.query('update channel set enabled = true, broken_at = null, broken_reason = null where id = $1', [
          channel.id,
        ]);
      });
      await finished(channel.id, ['sent']);
      expect(receiver.on(channel.path)).toHaveLength(2);
    },
  );

  test.each(['a new configuration', 'being enabled', 'a successful test'])(
    'after %s, a broken channel is healthy and enabled, and receives its held alerts, oldest first',
    async (way) => {
      const acme = v7();
      const channel = await newChannel(acme);
      let isHealthy = false;
      receiver.answer(channel.path, () => ({ status: isHealthy ? 200 : 410 }));
      const monitor = aMonitor(acme, [channel.id]);
      await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
      await finished(channel.id, ['held']);
      await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z', '2026-01-01T10:00:00Z'));
      await finished(channel.id, ['held', 'held']);

      isHealthy = true;
      const as = await fixture.as(acme);
      const before = receiver.on(channel.path).length;
      if (way === 'a successful test') await fixture.rpc.testChannel({ id: channel.id }, as);
      else {
        const configJson = JSON.stringify({ url: `${receiver.url}${channel.path}` });
        const changes = way === 'being enabled' ? { enabled: true } : { configJson };
        await fixture.rpc.updateChannel({ id: channel.id, ...changes }, as);
      }
      await eventually(() =>
        expect(fixture.events(channel.path).slice(-2)).toEqual(['monitor_down', 'monitor_recovered']),
      );
      expect(receiver.on(channel.path)).toHaveLength(before + (way === 'a successful test' ? 3 : 2));
      const healthy = await fixture.getChannel(acme, channel.id);
      expect([healthy?.enabled, healthy?.brokenAt, healthy?.brokenReason]).toEqual([true, undefined, undefined]);
    },
  );

  test('a broken channel drops its held alerts when a person disables it', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, () => ({ status: 410 }));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['held']);
    await fixture.rpc.updateChannel({ id: channel.id, enabled: false }, await fixture.as(acme));
    await finished(channel.id, ['dropped']);
  });

  test('a channel is marked as broken if alerts about three outages failed and no alert was delivered for an hour', async () => {
    await using quick = await channelFixture({ retryBaseMs: 1 });
    const acme = v7();
    const channel = await quick.newChannel(acme);
    quick.receiver.answer(channel.path, () => ({ status: 500 }));
    const goDown = () => quick.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await goDown();
    await goDown();
    // This retryBaseMs shortens the hour after which a channel can be marked as broken to 1.8 s.
    const failing = () =>
      quick.query<{ age: number }>(
        'select extract(epoch from now() - failing_since)::float8 as age from channel where id = $1',
        [channel.id],
      );
    await eventually(async () => expect((await failing())[0]?.age).toBeGreaterThan(3));
    expect((await quick.getChannel(acme, channel.id))?.enabled).toBe(true);
    await goDown();
    await eventually(async () => {
      expect(await quick.getChannel(acme, channel.id)).toMatchObject({
        enabled: false,
        brokenReason: expect.stringMatching(
          /^alerts about 3 outages could not be delivered .* the receiver returned 500$/,
        ),
      });
    });
  });

  test('a success that was recorded while the row of the channel was locked prevents that the channel breaks', async () => {
    await using quick = await channelFixture({ retryBaseMs: 1 });
    const acme = v7();
    const channel = await quick.newChannel(acme);
    const goDown = () => quick.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await goDown();
    const [sent] = await quick.finished(channel.id, ['sent']);
    quick.receiver.answer(channel.path, () => ({ status: 500 }));
    for (let outage = 0; outage < OUTAGES_TO_BREAK - 1; outage += 1) await goDown();
    const failing = () =>
      quick.query<{ age: number; enabled: boolean }>(
        'select extract(epoch from now() - failing_since)::float8 as age, enabled from channel where id = $1',
        [channel.id],
      );
    await eventually(async () => expect((await failing())[0]?.age).toBeGreaterThan(3));
    const [{ id } = { id: '' }] = await quick.query<{ id: string }>(
      `update delivery set status = 'pending', next_attempt_at = now() + interval '1 hour'
       where channel_id = $1 and status = 'sent' returning id`,
      [channel.id],
    );
    await quick.tables.transaction('every organization', async (tx) => {
      await tx.query('select from channel where id = $1 for update', [channel.id]);
      const attempt = { at: new Date(), httpStatus: 200, durationMs: 5, error: undefined, response: undefined };
      const claimed = { id, organizationId: acme, attempts: sent?.attempts ?? 0, slow: false, to: { id: channel.id } };
      await quick.tables.transaction('every organization', (other) =>
        recordSent(other, [{ claimed, attempt }], new Date()),
      );
    });
    await goDown();
    await eventually(async () => {
      const [row] = await failing();
      expect(row).toMatchObject({ enabled: true });
      expect(row?.age).toBeLessThan(1.8);
    });
  });

  test('a 429 response does not mark the channel as broken, and does not count as an attempt', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, (nth) =>
      nth === 0 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
    );
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
    // The whole channel pauses, so other alerts wait as well.
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    const rows = await finished(channel.id, ['sent', 'sent']);
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1]);
    const [first, second] = receiver.on(channel.path).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950);
  });

  test('a refusal does not mark a channel as broken if the channel was changed during the attempt', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const repaired = Promise.withResolvers<void>();
    receiver.answer(channel.path, async () => {
      await repaired.promise;
      return { status: 401 };
    });
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
    const good = newPath();
    const configJson = JSON.stringify({ url: `${receiver.url}${good}` });
    await fixture.rpc.updateChannel({ id: channel.id, configJson }, await fixture.as(acme));
    repaired.resolve();
    await finished(channel.id, ['sent']);
    expect(receiver.on(good)).toHaveLength(1);
    expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(true);
  });

  test.each([
    [404, false],
    [503, true],
    [429, true],
  ])('whether a channel is still enabled after a %i response to a test alert: %s', async (status, enabled) => {
    const acme = v7();
    const [channel, other] = [await newChannel(acme), await newChannel(acme)];
    receiver.answer(channel.path, () => ({ status }));
    const { delivery } = await fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme));
    expect(delivery).toMatchObject({ event: 'test', status: DeliveryStatus.FAILED });
    const tested = await fixture.getChannel(acme, channel.id);
    expect([tested?.enabled, tested?.brokenAt === undefined]).toEqual([enabled, enabled]);
    if (enabled) return;
    expect(tested?.brokenReason).toContain('404');
    await eventually(() => expect(fixture.events(other.path)).toEqual(['channel_broken']));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['failed', 'held']);
  });

  test('if a person disabled a channel, a failed test alert does not mark the channel as broken', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const as = await fixture.as(acme);
    await fixture.rpc.updateChannel({ id: channel.id, enabled: false }, as);
    receiver.answer(channel.path, () => ({ status: 404 }));
    await fixture.rpc.testChannel({ id: channel.id }, as);
    expect((await fixture.getChannel(acme, channel.id))?.brokenAt).toBeUndefined();
  });

  test('a broken channel stays broken after a failed test alert', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, () => ({ status: 410 }));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['held']);
    const failed = await fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme));
    expect(failed.delivery).toMatchObject({ event: 'test', status: DeliveryStatus.FAILED });
    expect(await fixture.getChannel(acme, channel.id)).toMatchObject({
      enabled: false,
      brokenReason: expect.stringMatching(/^the receiver returned 410: .*PATCH config.url$/),
    });
  });
});
