import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { eventsOfDisruption } from './an-event.ts';
import { subscriptionFixture } from './subscription-fixture.ts';

const fixture = await subscriptionFixture();
const { subscriptions, receiver } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const monitorsOnly = { permissions: ['monitors:read_write'] };
const withIncidents = { permissions: ['monitors:read_write', 'incidents:read'] };
const LACKING = 'this credential lacks the permission incidents:read';

test('a credential without incidents:read can subscribe to monitors but not to disruptions', async () => {
  const acme = v7();
  const subscribe = async (events: string[], credential: typeof monitorsOnly) =>
    subscriptions.createSubscription({ url: `${receiver.url}/own`, events }, await fixture.as(acme, credential));
  await subscribe(['monitor.created'], monitorsOnly);
  for (const kind of ['disruption.created', 'disruption.updated', 'disruption.resolved']) {
    await expect(subscribe(['monitor.created', kind], monitorsOnly)).rejects.toThrow(LACKING);
    await subscribe(['monitor.created', kind], withIncidents);
  }
});

test('a credential without incidents:read can not add disruptions to a subscription, or change the URL of a subscription that includes disruptions', async () => {
  const acme = v7();
  const update = async (change: { id: string; url?: string; events?: { kinds: string[] }; enabled?: boolean }) =>
    subscriptions.updateSubscription(change, await fixture.as(acme, monitorsOnly));
  const monitors = await fixture.subscribe(acme, ['monitor.created']);
  await expect(update({ id: monitors.id, events: { kinds: ['disruption.created'] } })).rejects.toThrow(LACKING);
  await update({ id: monitors.id, url: `${receiver.url}/elsewhere` });

  const disruptions = await fixture.subscribe(acme, ['disruption.created']);
  await expect(update({ id: disruptions.id, url: `${receiver.url}/elsewhere` })).rejects.toThrow(LACKING);
  // Deliveries from before the change contain disruptions and could be sent to the new URL.
  await expect(update({ id: disruptions.id, events: { kinds: ['monitor.created'] } })).rejects.toThrow(LACKING);
  await update({ id: disruptions.id, enabled: false });
});

test('a credential without incidents:read sees deliveries of disruption events without request bodies, and can not redeliver or replay the events or rotate the secret', async () => {
  const acme = v7();
  const { id: subscriptionId } = await fixture.subscribe(acme, ['disruption.created']);
  await fixture.publish(eventsOfDisruption(acme).created());
  const list = async (credential: typeof monitorsOnly) =>
    (await subscriptions.listSubscriptionDeliveries({ subscriptionId }, await fixture.as(acme, credential))).deliveries;
  await eventually(async () => expect(await list(withIncidents)).toHaveLength(1));
  const [whole] = await list(withIncidents);
  expect(whole?.requestBody).toContain('disruption');
  // Read both lists again until no attempt changes the delivery between the two reads.
  await eventually(async () => {
    const [delivery] = await list(withIncidents);
    expect(await list(monitorsOnly)).toEqual([{ ...delivery, requestBody: undefined }]);
  });

  const as = await fixture.as(acme, monitorsOnly);
  const deliveryId = whole?.id ?? '';
  const since = timestampFromDate(new Date(Date.now() - 60_000));
  await expect(subscriptions.redeliver({ subscriptionId, deliveryId }, as)).rejects.toThrow(LACKING);
  await expect(subscriptions.rotateSecret({ id: subscriptionId }, as)).rejects.toThrow(LACKING);
  await expect(subscriptions.replaySubscription({ id: subscriptionId, since }, as)).rejects.toThrow(LACKING);

  const monitors = await fixture.subscribe(acme, ['monitor.created']);
  await subscriptions.rotateSecret({ id: monitors.id }, as);
});
