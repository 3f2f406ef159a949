import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { eventsOfMonitor } from './an-event.ts';
import { subscriptionFixture } from './subscription-fixture.ts';

const fixture = await subscriptionFixture();
const { receiver, subscribe, typesAt } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

test('while a thousand deliveries wait, further deliveries are recorded as dropped, and are sent only by a redelivery', async () => {
  const acme = v7();
  const { id, path } = await subscribe(acme);
  await fixture.query(
    `with m as (
       insert into message (id, organization_id, event_id, kind, body, occurred_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'monitor.created', '{}', now() from generate_series(1, 1000)
       returning id
     )
     insert into delivery (id, organization_id, resource_id, message_id, subscription_id, status, next_attempt_at, created_at)
     select gen_random_uuid(), $1, $2, id, $2, 'pending', now() + interval '1 day', now() from m`,
    [acme, id],
  );
  const monitor = eventsOfMonitor(acme);
  await fixture.publish(monitor.created());
  const ofMonitor = `select id, status, last_error from delivery where subscription_id = $1 and resource_id = $2`;
  const [dropped] = await eventually(async () => {
    const rows = await fixture.query<{ id: string }>(ofMonitor, [id, monitor.id]);
    expect(rows).toMatchObject([{ status: 'dropped', last_error: '1000 deliveries were waiting already' }]);
    return rows;
  });
  expect(receiver.on(path)).toEqual([]);
  const request = { subscriptionId: id, deliveryId: dropped?.id ?? '' };
  const { delivery } = await fixture.subscriptions.redeliver(request, await fixture.as(acme));
  expect(delivery).toMatchObject({ status: DeliveryStatus.SENT, attempts: [{ statusCode: 204 }] });
  expect(typesAt(path)).toEqual(['monitor.created']);

  await fixture.query(`delete from delivery where subscription_id = $1 and status = 'pending'`, [id]);
  await eventually(async () => {
    await fixture.publish(eventsOfMonitor(acme).created());
    const sent = `select id from delivery where subscription_id = $1 and id <> $2 and status = 'sent'`;
    expect(await fixture.query(sent, [id, dropped?.id])).not.toEqual([]);
  });
});
