import type { Services } from '../clients/services.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import { Replay, Replayed } from '../schemas/alert-channel.ts';
import { data, dataList } from '../schemas/common.ts';
import {
  ATTEMPT_TIMEOUT_MS,
  DeliveryQuery,
  DeliverySchema,
  deliveryFilter,
  toDeliveryJson,
} from '../schemas/delivery.ts';
import { momentsOf } from '../schemas/moment.ts';
import { required } from '../schemas/required.ts';
import {
  toWebhookJson,
  WebhookCreate,
  WebhookCreated,
  WebhookDeliveryParams,
  WebhookPatch,
  WebhookQuery,
  WebhookSchema,
  WebhookSecret,
} from '../schemas/webhook.ts';

const read = { tag: 'Webhooks', permission: 'monitors:read' } as const;
const write = { tag: 'Webhooks', permission: 'monitors:read_write' } as const;

export function webhookRoutes({ subscriptions }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhook subscriptions, newest first',
      query: WebhookQuery,
      response: dataList(WebhookSchema),
      async handle({ query, as, nextPage }) {
        const page = await subscriptions.listSubscriptions(query, as);
        if (page.nextCursor) nextPage(page.nextCursor);
        return { data: page.subscriptions.map(toWebhookJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook subscription; only this response contains its secret',
      body: WebhookCreate,
      response: data(WebhookCreated),
      status: 201,
      async handle({ body: { url, events, enabled }, as }) {
        const { subscription, secret } = await subscriptions.createSubscription({ url, events, enabled }, as);
        return { data: { ...toWebhookJson(required(subscription)), secret } };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Get a webhook subscription',
      params: IdParams,
      response: data(WebhookSchema),
      async handle({ params: { id }, as }) {
        const { subscription } = await subscriptions.getSubscription({ id }, as);
        return { data: toWebhookJson(required(subscription)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/webhooks/:id',
      summary: 'Update a webhook subscription; absent fields keep their values',
      params: IdParams,
      body: WebhookPatch,
      response: data(WebhookSchema),
      async handle({ params: { id }, body: { url, events: kinds, enabled }, as }) {
        const changes = { id, url, events: kinds && { kinds }, enabled };
        const { subscription } = await subscriptions.updateSubscription(changes, as);
        return { data: toWebhookJson(required(subscription)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Delete a webhook subscription with its deliveries',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as }) {
        await subscriptions.deleteSubscription({ id }, as);
        return null;
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/webhooks/:id/test',
      isWaiting: true,
      summary: 'Send a test event and return the delivery',
      params: IdParams,
      response: data(DeliverySchema),
      async handle({ params: { id }, as }) {
        const { delivery } = await subscriptions.testSubscription({ id }, { ...as, timeoutMs: ATTEMPT_TIMEOUT_MS });
        return { data: toDeliveryJson(required(delivery)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      summary: 'List deliveries of the last 30 days, newest first',
      params: IdParams,
      query: DeliveryQuery,
      response: dataList(DeliverySchema),
      async handle({ params: { id: subscriptionId }, query, as, nextPage }) {
        const page = await subscriptions.listSubscriptionDeliveries({ subscriptionId, ...deliveryFilter(query) }, as);
        if (page.nextCursor) nextPage(page.nextCursor);
        return { data: page.deliveries.map(toDeliveryJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/webhooks/:id/deliveries/:delivery_id/redeliver',
      isWaiting: true,
      summary: 'Send a delivery again under the same id, and return it',
      params: WebhookDeliveryParams,
      response: data(DeliverySchema),
      async handle({ params: { id: subscriptionId, delivery_id: deliveryId }, as }) {
        const { delivery } = await subscriptions.redeliver(
          { subscriptionId, deliveryId },
          { ...as, timeoutMs: ATTEMPT_TIMEOUT_MS },
        );
        return { data: toDeliveryJson(required(delivery)) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/webhooks/:id/rotate-secret',
      summary: 'Replace the secret and return the new one; the former one signs, too, for 24 hours',
      params: IdParams,
      response: data(WebhookSecret),
      async handle({ params: { id }, as }) {
        const { secret } = await subscriptions.rotateSecret({ id }, as);
        return { data: { secret } };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/webhooks/:id/replay',
      summary: 'Send again what the webhook did not get since a time, oldest first',
      params: IdParams,
      body: Replay,
      response: data(Replayed),
      mayConflict: true,
      async handle({ params: { id }, body, as }) {
        const { replayed } = await subscriptions.replaySubscription({ id, ...momentsOf({ since: body.since }) }, as);
        return { data: { replayed } };
      },
    }),
  ];
}
