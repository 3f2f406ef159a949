import { fromBinary } from '@bufbuild/protobuf';
import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { ChannelBrokenSchema } from '@tocsin/proto/notifier/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, newPath, newChannel, finished } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

describe('a channel that is broken', () => {
  test.each([401, 403, 404, 410])('by a %i is disabled, says why, and the others hear of it', async (status) => {
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
    await finished(channel.id, ['failed', 'dropped']);
    const broken = await fixture.getChannel(acme, channel.id);
    expect(broken).toMatchObject({ enabled: false, brokenReason: `the receiver answered ${status}` });
    expect(broken?.brokenAt).toBeDefined();
    expect(receiver.on(channel.path)).toHaveLength(1);
    await eventually(async () => {
      const [, fact] = await fixture.publishedAbout(channel.id);
      expect(fact?.type).toBe(ChannelBrokenSchema.typeName);
      const told = fromBinary(ChannelBrokenSchema, fact?.data ?? new Uint8Array());
      expect(told).toMatchObject({ channelId: channel.id, name: 'Ops', reason: `the receiver answered ${status}` });
    });
  });

  test('is mended by a new configuration and by being enabled', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, () => ({ status: 410 }));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['failed']);

    const good = newPath();
    const configJson = JSON.stringify({ url: `${receiver.url}${good}` });
    const mended = await fixture.rpc.updateChannel({ id: channel.id, configJson }, await fixture.as(acme));
    expect(mended.channel?.brokenAt).toBeUndefined();
    expect(mended.channel?.brokenReason).toBeUndefined();
    await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, await fixture.as(acme));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T11:00:00Z'));
    await finished(channel.id, ['failed', 'sent']);
    expect(receiver.on(good)).toHaveLength(1);
  });

  test('after three alerts in a row that nothing could deliver', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, () => ({ status: 500 }));
    for (const failed of [1, 2, 3]) {
      expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(true);
      await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
      await finished(channel.id, Array(failed).fill('failed'));
    }
    expect(await fixture.getChannel(acme, channel.id)).toMatchObject({
      enabled: false,
      brokenReason: '3 alerts in a row could not be delivered; the last time: the receiver answered 500',
    });
    expect(receiver.on(channel.path)).toHaveLength(12);
  });

  test('is not one that was mended while the refusal was on its way', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const mended = Promise.withResolvers<void>();
    receiver.answer(channel.path, async () => {
      await mended.promise;
      return { status: 401 };
    });
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
    const good = newPath();
    const configJson = JSON.stringify({ url: `${receiver.url}${good}` });
    await fixture.rpc.updateChannel({ id: channel.id, configJson }, await fixture.as(acme));
    mended.resolve();
    await finished(channel.id, ['sent']);
    expect(receiver.on(good)).toHaveLength(1);
    expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(true);
  });

  test('is mended by a test that gets through, not by one that fails, and stays disabled', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, (nth) => ({ status: nth < 2 ? 410 : 200 }));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['failed']);

    const failed = await fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme));
    expect(failed.delivery).toMatchObject({ event: 'test', status: DeliveryStatus.FAILED });
    expect((await fixture.getChannel(acme, channel.id))?.brokenReason).toBe('the receiver answered 410');
    const sent = await fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme));
    expect(sent.delivery).toMatchObject({ event: 'test', resourceId: channel.id, status: DeliveryStatus.SENT });
    const mended = await fixture.getChannel(acme, channel.id);
    expect([mended?.enabled, mended?.brokenAt, mended?.brokenReason]).toEqual([false, undefined, undefined]);

    const { deliveries } = await fixture.rpc.listChannelDeliveries({ channelId: channel.id }, await fixture.as(acme));
    expect(deliveries.map(({ id, event }) => [id, event])).toEqual([
      [sent.delivery?.id, 'test'],
      [failed.delivery?.id, 'test'],
      [expect.any(String), 'monitor_down'],
    ]);
  });
});
