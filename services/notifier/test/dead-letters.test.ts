import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { eventually } from '@tocsin/testing';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { eventsOfMonitor } from './an-event.ts';
import { subscriptionFixture } from './subscription-fixture.ts';

// The waits after the third attempt are longer, so that a refused message is still being retried while other messages
// are accepted.
const fixture = await subscriptionFixture({ subscriptionWaitsMs: [5, 5, 200, 200, 200, 200] });
const { receiver, finished, subscribe, typesAt } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

/** Makes the receiver refuse the requests that a test selects, and accept all others. */
function refuse(path: string, status: number, isRefused: (body: string) => boolean): void {
  let handled = 0;
  receiver.answer(path, () => {
    const { body = '' } = receiver.on(path)[handled] ?? {};
    handled += 1;
    return isRefused(body) ? { status, body: `can not read ${path}` } : { status: 200, body: 'thank you' };
  });
}

const getSubscription = async (organizationId: string, id: string) =>
  (await fixture.subscriptions.getSubscription({ id }, await fixture.as(organizationId))).subscription;

describe('messages that their receiver always refuses', () => {
  test.each([400, 422, 500])(
    'if one message is refused with status %i, it is given up, the others are sent, and the subscription stays enabled',
    async (status) => {
      const acme = v7();
      const { id, path } = await subscribe(acme);
      refuse(path, status, (body) => body.includes('monitor.updated'));
      const monitor = eventsOfMonitor(acme);
      await fixture.publish(monitor.created(), monitor.updated(), monitor.deleted());
      const deliveries = await finished(acme, id, ['sent', 'failed', 'sent']);
      expect(typesAt(path).at(-1)).toBeDefined();
      expect(deliveries[1]?.error).toBe(
        `the receiver returned ${status}; other messages get through, so this one is not tried again`,
      );
      expect(deliveries[1]?.attempts.length).toBeGreaterThanOrEqual(3);
      expect(deliveries[1]?.attempts.length).toBeLessThan(7);
      expect(await getSubscription(acme, id)).toMatchObject({ enabled: true });
      // A delivery contains the request and the response.
      expect(JSON.parse(deliveries[1]?.requestBody ?? '')).toMatchObject({ type: 'monitor.updated' });
      expect(deliveries[1]?.attempts[0]?.response).toBe('can not read [secret]');
      expect(deliveries[0]?.attempts[0]?.response).toBe('thank you');
      const failed = { subscriptionId: id, status: DeliveryStatus.FAILED };
      const page = await fixture.subscriptions.listSubscriptionDeliveries(failed, await fixture.as(acme));
      expect(page.deliveries.map((delivery) => delivery.id)).toEqual([deliveries[1]?.id]);
    },
  );

  test('a refused message is retried if no other message succeeds, and then the subscription is disabled with a reason', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    refuse(path, 422, () => true);
    const monitor = eventsOfMonitor(acme);
    await fixture.publish(monitor.created());
    const [delivery] = await finished(acme, id, ['failed']);
    expect(delivery?.attempts).toHaveLength(7);
    await eventually(async () =>
      expect(await getSubscription(acme, id)).toMatchObject({
        enabled: false,
        disabledReason: 'the receiver returned 422',
        disabledAt: expect.anything(),
      }),
    );
    refuse(path, 422, () => false);
    await fixture.subscriptions.testSubscription({ id }, await fixture.as(acme));
    const healthy = await getSubscription(acme, id);
    expect([healthy?.enabled, healthy?.disabledReason, healthy?.disabledAt]).toEqual([true, undefined, undefined]);
  });

  test('later messages wait for an unsent message while the receiver is unavailable', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    receiver.answer(path, (nth) => ({ status: nth < 5 ? 503 : 200 }));
    const monitor = eventsOfMonitor(acme);
    await fixture.publish(monitor.created(), monitor.updated());
    await finished(acme, id, ['sent', 'sent']);
    expect(typesAt(path)).toEqual([...Array(6).fill('monitor.created'), 'monitor.updated']);
  });
});

test('a replay resends messages that were given up or dropped, in order, if the subscription is enabled', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  const as = await fixture.as(acme);
  refuse(path, 422, (body) => body.includes('monitor.updated'));
  const monitor = eventsOfMonitor(acme);
  await fixture.publish(monitor.created(), monitor.updated(), monitor.deleted());
  await finished(acme, id, ['sent', 'failed', 'sent']);
  refuse(path, 422, () => false);
  const since = timestampFromDate(new Date(Date.now() - 60_000));
  await fixture.subscriptions.updateSubscription({ id, enabled: false }, as);
  await expect(fixture.subscriptions.replaySubscription({ id, since }, as)).rejects.toThrow(/disabled/);
  await fixture.subscriptions.updateSubscription({ id, enabled: true }, as);
  expect(await fixture.subscriptions.replaySubscription({ id, since }, as)).toMatchObject({ replayed: 1 });
  const deliveries = await finished(acme, id, ['sent', 'sent', 'sent']);
  expect(deliveries.map(({ late }) => late)).toEqual([false, true, false]);
  const tooLongAgo = timestampFromDate(new Date(Date.now() - 31 * 86_400_000));
  await expect(fixture.subscriptions.replaySubscription({ id, since: tooLongAgo }, as)).rejects.toThrow(/since/);
  await expect(fixture.subscriptions.replaySubscription({ id, since }, await fixture.as(v7()))).rejects.toThrow(
    /not found/,
  );
});

test('for 24 hours after a rotation, signatures verify with the new and with the previous secret', async () => {
  const acme = v7();
  const { id, path, secret: former } = await subscribe(acme, ['monitor.created', 'monitor.deleted']);
  const { secret } = await fixture.subscriptions.rotateSecret({ id }, await fixture.as(acme));
  expect(secret).not.toBe(former);
  const verifies = (key: string, index: number) => {
    const { headers, body } = receiver.on(path)[index] ?? { headers: {}, body: '' };
    const signed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    try {
      new Webhook(key).verify(body, Object.fromEntries(signed));
      return true;
    } catch {
      return false;
    }
  };
  const monitor = eventsOfMonitor(acme);
  await fixture.publish(monitor.created());
  await finished(acme, id, ['sent']);
  expect([verifies(secret, 0), verifies(former, 0)]).toEqual([true, true]);
  const sql = `update subscription set previous_secret_until = previous_secret_until - interval '24 hours' where id = $1`;
  await fixture.query(sql, [id]);
  await fixture.publish(monitor.deleted());
  await finished(acme, id, ['sent', 'sent']);
  expect([verifies(secret, 1), verifies(former, 1)]).toEqual([true, false]);
  await expect(fixture.subscriptions.rotateSecret({ id }, await fixture.as(v7()))).rejects.toThrow(/not found/);
});
