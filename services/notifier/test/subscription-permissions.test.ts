import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { subscriptionFixture } from './subscription-fixture.ts';

const fixture = await subscriptionFixture();
const { subscriptions, receiver } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const monitorsOnly = { permissions: ['monitors:read_write'] };
const withIncidents = { permissions: ['monitors:read_write', 'incidents:read'] };
const LACKING = 'this credential lacks the permission incidents:read';

test('a credential without incidents:read can subscribe to monitors, not to disruptions', async () => {
  const acme = v7();
  const subscribe = async (events: string[], credential: typeof monitorsOnly) =>
    subscriptions.createSubscription({ url: `${receiver.url}/own`, events }, await fixture.as(acme, credential));
  await subscribe(['monitor.created'], monitorsOnly);
  for (const kind of ['disruption.created', 'disruption.updated', 'disruption.resolved']) {
    await expect(subscribe(['monitor.created', kind], monitorsOnly)).rejects.toThrow(LACKING);
    await subscribe(['monitor.created', kind], withIncidents);
  }
});

test('it can neither add disruptions to a subscription nor change the URL of one that has them', async () => {
  const acme = v7();
  const update = async (change: { id: string; url?: string; events?: { kinds: string[] }; enabled?: boolean }) =>
    subscriptions.updateSubscription(change, await fixture.as(acme, monitorsOnly));
  const monitors = await fixture.subscribe(acme, ['monitor.created']);
  await expect(update({ id: monitors.id, events: { kinds: ['disruption.created'] } })).rejects.toThrow(LACKING);
  await update({ id: monitors.id, url: `${receiver.url}/elsewhere` });

  const disruptions = await fixture.subscribe(acme, ['disruption.created']);
  await expect(update({ id: disruptions.id, url: `${receiver.url}/elsewhere` })).rejects.toThrow(LACKING);
  // Its earlier deliveries could be sent again.
  await expect(update({ id: disruptions.id, events: { kinds: ['monitor.created'] } })).rejects.toThrow(LACKING);
  await update({ id: disruptions.id, enabled: false });
});
