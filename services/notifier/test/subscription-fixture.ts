import { deliveryStatuses } from '@tocsin/enums';
import type { Delivery } from '@tocsin/proto/notifier/v1/delivery';

import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import type { NotifierConfig } from '../src/config.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { notifierFixture } from './start-notifier.ts';

export const ALL_KINDS = [
  'monitor.created',
  'monitor.updated',
  'monitor.deleted',
  'monitor.state_changed',
  'disruption.created',
  'disruption.updated',
  'disruption.resolved',
];

/** Starts a notifier with a webhook receiver. */
export async function subscriptionFixture(settings: Partial<NotifierConfig> = {}) {
  const receiver: Receiver = await startReceiver();
  const fixture = await notifierFixture(settings);
  let paths = 0;

  async function deliveriesOf(organizationId: string, subscriptionId: string): Promise<Delivery[]> {
    const request = { subscriptionId };
    return (await fixture.subscriptions.listSubscriptionDeliveries(request, await fixture.as(organizationId)))
      .deliveries;
  }

  return {
    ...fixture,
    receiver,
    async subscribe(organizationId: string, events: readonly string[] = ALL_KINDS) {
      const path = `/subscription/${++paths}`;
      const request = { url: `${receiver.url}${path}`, events: [...events] };
      const { subscription, secret } = await fixture.subscriptions.createSubscription(
        request,
        await fixture.as(organizationId),
      );
      return { id: subscription?.id ?? '', path, secret };
    },
    deliveriesOf,
    /** Returns the types of events that a path received, in order. */
    typesAt: (path: string): string[] => receiver.on(path).map(({ body }) => JSON.parse(body).type),
    /** Waits until the deliveries have these statuses, oldest first. */
    finished: (organizationId: string, subscriptionId: string, wanted: readonly string[]): Promise<Delivery[]> =>
      eventually(async () => {
        const deliveries = (await deliveriesOf(organizationId, subscriptionId)).toReversed();
        expect(deliveries.map(({ status }) => deliveryStatuses.toName(status))).toEqual(wanted);
        return deliveries;
      }),
    isEnabled: async (organizationId: string, id: string) =>
      (await fixture.subscriptions.getSubscription({ id }, await fixture.as(organizationId))).subscription?.enabled,
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
