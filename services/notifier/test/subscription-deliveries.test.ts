import { fromBinary } from '@bufbuild/protobuf';
import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { SubscriptionDisabledSchema } from '@tocsin/proto/notifier/v1/events';
import { eventually } from '@tocsin/testing';
import { Webhook } from 'standardwebhooks';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { eventsOfDisruption, eventsOfMonitor } from './an-event.ts';
import { ALL_KINDS, subscriptionFixture } from './subscription-fixture.ts';

const fixture = await subscriptionFixture();
const { receiver, finished, subscribe, typesAt } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

test('every kind of event arrives with a signature that a Standard Webhooks library verifies', async () => {
  const acme = v7();
  const { id, path, secret } = await subscribe(acme);
  const monitor = eventsOfMonitor(acme);
  const disruption = eventsOfDisruption(acme);
  await fixture.publish(monitor.created(), monitor.updated(), monitor.wentDown('status 502'), monitor.deleted());
  await fixture.publish(disruption.created(), disruption.updated(), disruption.resolved());
  await finished(acme, id, Array(7).fill('sent'));

  expect(typesAt(path).sort()).toEqual(ALL_KINDS.toSorted());
  const library = new Webhook(secret);
  for (const { headers, body } of receiver.on(path)) {
    const signed = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    expect(library.verify(body, Object.fromEntries(signed))).toEqual(JSON.parse(body));
    expect(() => new Webhook(`whsec_${btoa('another')}`).verify(body, Object.fromEntries(signed))).toThrow();
    expect(Object.keys(JSON.parse(body))).toEqual(['type', 'timestamp', 'data']);
    expect(JSON.parse(body).timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
  const change = receiver.on(path).find(({ body }) => JSON.parse(body).type === 'monitor.state_changed');
  expect(JSON.parse(change?.body ?? '').data).toEqual({
    monitor: expect.objectContaining({ id: monitor.id, config: { url: 'https://shop.example.com/' } }),
    state: 'down',
    previous_state: 'up',
    entered_at: '2026-01-01T10:00:00.000000Z',
    error: 'status 502',
  });
});

test('a change to a disruption that is marked as silent is not delivered', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  const disruption = eventsOfDisruption(acme);
  await fixture.publish(disruption.created(), disruption.updated(true), disruption.resolved());
  await finished(acme, id, ['sent', 'sent']);
  expect(typesAt(path)).toEqual(['disruption.created', 'disruption.resolved']);
});

test('recording a disruption that is already resolved sends nothing, but later changes are delivered', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  const disruption = eventsOfDisruption(acme);
  await fixture.publish(disruption.recorded(), disruption.updated());
  await finished(acme, id, ['sent']);
  expect(typesAt(path)).toEqual(['disruption.updated']);
});

test('an event is sent only to subscriptions of its organization that include its kind', async () => {
  const acme = v7();
  const [created, theirs] = [await subscribe(acme, ['monitor.created']), await subscribe(v7())];
  const disabled = await subscribe(acme);
  await fixture.subscriptions.updateSubscription({ id: disabled.id, enabled: false }, await fixture.as(acme));
  const monitor = eventsOfMonitor(acme);
  const everything = await subscribe(acme);
  await fixture.publish(monitor.created(), monitor.updated());
  await finished(acme, everything.id, ['sent', 'sent']);
  await finished(acme, created.id, ['sent']);
  expect(typesAt(created.path)).toEqual(['monitor.created']);
  expect([...receiver.on(theirs.path), ...receiver.on(disabled.path)]).toEqual([]);
});

test('a repeated event is delivered once', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  const monitor = eventsOfMonitor(acme);
  const created = monitor.created();
  await fixture.publish(created);
  await fixture.publishAgain(created, 1);
  await fixture.publish(monitor.updated());
  await finished(acme, id, ['sent', 'sent']);
  expect(typesAt(path)).toEqual(['monitor.created', 'monitor.updated']);
});

describe('a failing receiver', () => {
  test('a delivery is retried with the same id, and only later events of the same monitor wait for it', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    const repaired = Promise.withResolvers<void>();
    receiver.answer(path, async (nth) => {
      if (nth === 1) await repaired.promise;
      return { status: nth === 0 ? 302 : 200, headers: { location: `${receiver.url}/elsewhere` } };
    });
    const [first, other] = [eventsOfMonitor(acme), eventsOfMonitor(acme, 'Other')];
    await fixture.publish(first.created(), first.updated(), first.deleted());
    await eventually(() => expect(receiver.on(path)).toHaveLength(2));
    await fixture.publish(other.created());
    await eventually(() => expect(receiver.on(path)).toHaveLength(3));
    repaired.resolve();

    const [delivery] = await finished(acme, id, Array(4).fill('sent'));
    const came = receiver.on(path).map(({ headers, body }) => ({ id: headers['webhook-id'], ...JSON.parse(body) }));
    const ofFirst = came.filter(({ data }) => data.id === first.id);
    expect(ofFirst.map(({ type }) => type)).toEqual([
      'monitor.created',
      'monitor.created',
      'monitor.updated',
      'monitor.deleted',
    ]);
    expect(ofFirst[0]?.id).toBe(ofFirst[1]?.id);
    expect(delivery).toMatchObject({
      id: ofFirst[0]?.id,
      event: 'monitor.created',
      resourceId: first.id,
      attempts: [
        { statusCode: 302, error: 'the receiver returned 302: redirects are not followed' },
        { statusCode: 200 },
      ],
    });
    expect(receiver.on('/elsewhere')).toEqual([]);
  });

  test.each([401, 403, 404, 500])(
    'a receiver that returns %i gets all attempts, and the subscription is disabled after the last one',
    async (status) => {
      const acme = v7();
      const { id, path } = await subscribe(acme);
      const bothWritten = Promise.withResolvers<void>();
      receiver.answer(path, async () => {
        await bothWritten.promise;
        return { status };
      });
      const monitor = eventsOfMonitor(acme);
      await fixture.publish(monitor.created(), monitor.updated());
      await finished(acme, id, ['pending', 'pending']);
      bothWritten.resolve();
      const [failed] = await finished(acme, id, ['failed', 'dropped']);
      expect(failed?.attempts.map(({ statusCode }) => statusCode)).toEqual([status, status, status]);
      expect(await fixture.isEnabled(acme, id)).toBe(false);
      await eventually(async () => {
        const [event] = await fixture.publishedAbout(id);
        expect(event?.type).toBe(SubscriptionDisabledSchema.typeName);
        const message = fromBinary(SubscriptionDisabledSchema, event?.data ?? new Uint8Array());
        expect(message).toMatchObject({ subscriptionId: id, reason: `the receiver returned ${status}` });
      });
    },
  );

  test('a subscription is disabled immediately after a 410', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    receiver.answer(path, () => ({ status: 410 }));
    await fixture.publish(eventsOfMonitor(acme).created());
    await finished(acme, id, ['failed']);
    expect(await fixture.isEnabled(acme, id)).toBe(false);
    expect(receiver.on(path)).toHaveLength(1);
  });

  test('a subscription stays enabled if its URL was changed during an attempt that got a 410', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    const changed = Promise.withResolvers<void>();
    receiver.answer(path, async () => {
      await changed.promise;
      return { status: 410 };
    });
    await fixture.publish(eventsOfMonitor(acme).created());
    await eventually(() => expect(receiver.on(path)).toHaveLength(1));
    const url = `${receiver.url}/repaired/${id}`;
    await fixture.subscriptions.updateSubscription({ id, url }, await fixture.as(acme));
    changed.resolve();
    await finished(acme, id, ['sent']);
    expect(await fixture.isEnabled(acme, id)).toBe(true);
    expect(receiver.on(`/repaired/${id}`)).toHaveLength(1);
  });

  test('a subscription stays enabled if its URL was changed during the last attempt, which failed', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    const changed = Promise.withResolvers<void>();
    receiver.answer(path, async (nth) => {
      if (nth === 2) await changed.promise;
      return { status: 500 };
    });
    await fixture.publish(eventsOfMonitor(acme).created());
    await eventually(() => expect(receiver.on(path)).toHaveLength(3));
    const url = `${receiver.url}/repaired/${id}`;
    await fixture.subscriptions.updateSubscription({ id, url }, await fixture.as(acme));
    changed.resolve();
    await finished(acme, id, ['failed']);
    expect(await fixture.isEnabled(acme, id)).toBe(true);
  });
});

test('a redelivery has the same id, and a 410 to it does not disable the subscription', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  receiver.answer(path, (nth) => ({ status: nth === 1 ? 410 : 200 }));
  await fixture.publish(eventsOfMonitor(acme).created());
  const [first] = await finished(acme, id, ['sent']);
  const request = { subscriptionId: id, deliveryId: first?.id ?? '' };
  const failed = await fixture.subscriptions.redeliver(request, await fixture.as(acme));
  expect(failed.delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([200, 410]);
  const again = await fixture.subscriptions.redeliver(request, await fixture.as(acme));
  expect(again.delivery).toMatchObject({ id: first?.id, status: DeliveryStatus.SENT });
  expect(again.delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([200, 410, 200]);
  expect(await fixture.isEnabled(acme, id)).toBe(true);
  expect(new Set(receiver.on(path).map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first?.id]));
  expect(new Set(receiver.on(path).map(({ body }) => body)).size).toBe(1);
});

describe('a delivery with many attempts', () => {
  /** Inserts 60 failed attempts, one per second, the newest a minute ago. Their durations count up from 1 ms. */
  const insertAttempts = (deliveryId: string) =>
    fixture.query(
      `insert into delivery_attempt (id, delivery_id, organization_id, at, outcome, duration_ms)
       select gen_random_uuid(), id, organization_id, now() - interval '2 minutes' + n * interval '1 second', 'failed', n
       from delivery cross join generate_series(1, 60) n where id = $1`,
      [deliveryId],
    );
  const countAttempts = async (deliveryId: string) =>
    (await fixture.query('select from delivery_attempt where delivery_id = $1', [deliveryId])).length;

  test('only the newest 50 attempts are returned, and a redelivery deletes the older ones', async () => {
    const acme = v7();
    const { id } = await subscribe(acme);
    await fixture.publish(eventsOfMonitor(acme).created());
    const [sent] = await finished(acme, id, ['sent']);
    const deliveryId = sent?.id ?? '';
    await insertAttempts(deliveryId);
    const [listed] = await fixture.deliveriesOf(acme, id);
    // The newest attempt is the successful one, which was made just now.
    expect(listed?.attempts.slice(0, -1).map(({ durationMs }) => durationMs)).toEqual(
      Array.from({ length: 49 }, (_, index) => index + 12),
    );
    expect(listed?.attempts.at(-1)?.statusCode).toBe(204);

    const request = { subscriptionId: id, deliveryId };
    const { delivery } = await fixture.subscriptions.redeliver(request, await fixture.as(acme));
    expect(delivery?.attempts).toHaveLength(50);
    expect(delivery?.attempts[0]?.durationMs).toBe(13);
    expect(delivery?.attempts.slice(-2).map(({ statusCode }) => statusCode)).toEqual([204, 204]);
    expect(await countAttempts(deliveryId)).toBe(50);
  });

  test('a success of an automatic attempt deletes the older ones', async () => {
    const acme = v7();
    const { id, path } = await subscribe(acme);
    const repaired = Promise.withResolvers<void>();
    receiver.answer(path, async () => {
      await repaired.promise;
      return { status: 204 };
    });
    await fixture.publish(eventsOfMonitor(acme).created());
    const [pending] = await finished(acme, id, ['pending']);
    await insertAttempts(pending?.id ?? '');
    repaired.resolve();
    const [sent] = await finished(acme, id, ['sent']);
    expect(sent?.attempts.at(-1)?.statusCode).toBe(204);
    expect(await countAttempts(pending?.id ?? '')).toBe(50);
  });
});

test('a test message is sent immediately and recorded, even for a disabled subscription', async () => {
  const acme = v7();
  const { id, path, secret } = await subscribe(acme);
  await fixture.subscriptions.updateSubscription({ id, enabled: false }, await fixture.as(acme));
  receiver.answer(path, (nth) => ({ status: nth === 0 ? 200 : 500 }));
  const { delivery } = await fixture.subscriptions.testSubscription({ id }, await fixture.as(acme));
  expect(delivery).toMatchObject({
    event: 'webhook.test',
    resourceId: id,
    status: DeliveryStatus.SENT,
    attempts: [{ statusCode: 200 }],
  });
  const [request] = receiver.on(path);
  const headers = Object.entries(request?.headers ?? {}).map(([name, value]) => [name, String(value)]);
  expect(new Webhook(secret).verify(request?.body ?? '', Object.fromEntries(headers))).toMatchObject({
    type: 'webhook.test',
    data: { webhook_id: id },
  });
  const second = await fixture.subscriptions.testSubscription({ id }, await fixture.as(acme));
  expect(second.delivery).toMatchObject({ status: DeliveryStatus.FAILED, error: 'the receiver returned 500' });
  expect((await fixture.deliveriesOf(acme, id)).map((kept) => kept.id)).toEqual([second.delivery?.id, delivery?.id]);
});

describe('tests and redeliveries', () => {
  /** Sets how many tests and redeliveries were made within this hour, and within the next one. */
  const count = (organizationId: string, counted: string, attempts: number) =>
    fixture.query(
      `insert into manual_attempt_count
       select $1, $2, date_trunc('hour', now()) + n * interval '1 hour', $3 from generate_series(0, 1) n
       on conflict (organization_id, counted, hour) do update set attempts = excluded.attempts`,
      [organizationId, counted, attempts],
    );

  test('a hundred an hour are made for each subscription, and further ones are refused', async () => {
    const acme = v7();
    const us = await fixture.as(acme);
    const [{ id, path }, other] = [await subscribe(acme), await subscribe(acme)];
    await count(acme, id, 98);
    const { delivery } = await fixture.subscriptions.testSubscription({ id }, us);
    const request = { subscriptionId: id, deliveryId: delivery?.id ?? '' };
    expect((await fixture.subscriptions.redeliver(request, us)).delivery?.attempts).toHaveLength(2);
    const refused = {
      kind: 'rate_limited',
      message: expect.stringMatching(
        /^at most 100 tests and redeliveries an hour for this webhook; try again at \d\d:00 UTC$/,
      ),
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 3_600),
    };
    await expect(fixture.subscriptions.redeliver(request, us)).rejects.toMatchObject(refused);
    await expect(fixture.subscriptions.testSubscription({ id }, us)).rejects.toMatchObject(refused);
    expect(receiver.on(path)).toHaveLength(2);
    await fixture.subscriptions.testSubscription({ id: other.id }, us);
    expect(receiver.on(other.path)).toHaveLength(1);
  });

  test('a thousand an hour are made for an organization', async () => {
    const acme = v7();
    const us = await fixture.as(acme);
    const { id } = await subscribe(acme);
    const channel = await fixture.createChannel(acme, { url: `${receiver.url}/channel` });
    await count(acme, acme, 999);
    await fixture.rpc.testChannel({ id: channel.id }, us);
    const message = expect.stringContaining('at most 1000 tests and redeliveries an hour for the organization');
    const refused = { kind: 'rate_limited', message };
    await expect(fixture.rpc.testChannel({ id: channel.id }, us)).rejects.toMatchObject(refused);
    await expect(fixture.subscriptions.testSubscription({ id }, us)).rejects.toMatchObject(refused);
  });

  test('a hundred an hour are made for each alert channel', async () => {
    const acme = v7();
    const us = await fixture.as(acme);
    const { id } = await fixture.createChannel(acme, { url: `${receiver.url}/tested` });
    await count(acme, id, 99);
    await fixture.rpc.testChannel({ id }, us);
    const message = expect.stringContaining('an hour for this alert channel');
    await expect(fixture.rpc.testChannel({ id }, us)).rejects.toMatchObject({ kind: 'rate_limited', message });
    expect(receiver.on('/tested')).toHaveLength(1);
  });
});

test('deliveries are returned in pages, and another organization cannot read or repeat them', async () => {
  const acme = v7();
  const { id } = await subscribe(acme);
  const monitor = eventsOfMonitor(acme);
  await fixture.publish(monitor.created(), monitor.updated(), monitor.deleted());
  const all = (await finished(acme, id, ['sent', 'sent', 'sent'])).toReversed();
  const us = await fixture.as(acme);
  const first = await fixture.subscriptions.listSubscriptionDeliveries({ subscriptionId: id, limit: 2 }, us);
  const rest = await fixture.subscriptions.listSubscriptionDeliveries(
    { subscriptionId: id, limit: 2, cursor: first.nextCursor },
    us,
  );
  expect([...first.deliveries, ...rest.deliveries]).toEqual(all);
  expect(rest.nextCursor).toBe('');

  const them = await fixture.as(v7());
  const refused = { kind: 'not_found' };
  const deliveryId = all[0]?.id ?? '';
  await expect(fixture.subscriptions.listSubscriptionDeliveries({ subscriptionId: id }, them)).rejects.toMatchObject(
    refused,
  );
  await expect(fixture.subscriptions.redeliver({ subscriptionId: id, deliveryId }, them)).rejects.toMatchObject(
    refused,
  );
  await expect(fixture.subscriptions.testSubscription({ id }, them)).rejects.toMatchObject(refused);
  await expect(fixture.subscriptions.getSubscription({ id }, them)).rejects.toMatchObject(refused);
});
