import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { grants } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import { pagingOf } from '@tocsin/paging';
import type { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
import { callerOf, idempotencyIdOf, limitsOf, organizationOf, requirePermission } from '@tocsin/runtime';
import { createSubscription } from '../app/create-subscription.ts';
import { deleteSubscription } from '../app/delete-subscription.ts';
import { getSubscription } from '../app/get-subscription.ts';
import { listSubscriptionDeliveries } from '../app/list-deliveries.ts';
import { listSubscriptions } from '../app/list-subscriptions.ts';
import type { Deps } from '../app/ports.ts';
import { redeliver } from '../app/redeliver.ts';
import { replaySubscription } from '../app/replay-subscription.ts';
import { rotateSecret } from '../app/rotate-secret.ts';
import { testSubscription } from '../app/test-subscription.ts';
import { updateSubscription } from '../app/update-subscription.ts';
import type { Delivery } from '../domain/delivery.ts';
import { includesDisruptions } from '../domain/subscription.ts';
import { subscriptionToProto } from '../wire/channel.ts';
import { deliveryToProto, statusOf } from '../wire/delivery.ts';

export function subscriptionRpc(deps: Deps): ServiceImpl<typeof SubscriptionService> {
  /**
   * Requires the permission `incidents:read` if the subscription receives disruptions. Otherwise a caller without this
   * permission could read or forge disruption events, by redirecting the subscription or by replacing the secret that
   * signs its messages.
   */
  async function requireReader(context: HandlerContext, id: string): Promise<void> {
    const { events } = await getSubscription(deps, { organizationId: organizationOf(context), id });
    if (includesDisruptions(events)) requirePermission(context, 'incidents:read');
  }

  return {
    async createSubscription({ url, events, enabled }, context) {
      if (includesDisruptions(events)) requirePermission(context, 'incidents:read');
      const limit = limitsOf(context).webhook_subscriptions;
      const idempotencyId = idempotencyIdOf(context);
      const input = { organizationId: organizationOf(context), idempotencyId, limit, url, events, enabled };
      const { subscription, secret } = await createSubscription(deps, input);
      // A repeat returns the subscription as it is now, and its events may have been changed.
      if (includesDisruptions(subscription.events)) requirePermission(context, 'incidents:read');
      return { subscription: subscriptionToProto(subscription), secret };
    },

    async getSubscription({ id }, context) {
      const subscription = await getSubscription(deps, { organizationId: organizationOf(context), id });
      return { subscription: subscriptionToProto(subscription) };
    },

    async listSubscriptions({ limit, cursor }, context) {
      const input = { organizationId: organizationOf(context), paging: pagingOf(limit, cursor) };
      const { items, nextCursor } = await listSubscriptions(deps, input);
      return { subscriptions: items.map(subscriptionToProto), nextCursor };
    },

    async updateSubscription({ id, url, events, enabled }, context) {
      const organizationId = organizationOf(context);
      const input = { organizationId, id, url, events: events?.kinds, enabled };
      const before = await getSubscription(deps, { organizationId, id });
      // Check the existing kinds too, because waiting and replayed deliveries of these kinds go to the new URL.
      const kinds = url === undefined && !input.events ? [] : [...before.events, ...(input.events ?? [])];
      if (includesDisruptions(kinds)) requirePermission(context, 'incidents:read');
      return { subscription: subscriptionToProto(await updateSubscription(deps, input)) };
    },

    async deleteSubscription({ id }, context) {
      await deleteSubscription(deps, { organizationId: organizationOf(context), id });
      return {};
    },

    async testSubscription({ id }, context) {
      const delivery = await testSubscription(deps, { organizationId: organizationOf(context), id });
      return { delivery: deliveryToProto(delivery) };
    },

    async listSubscriptionDeliveries({ subscriptionId: id, status, limit, cursor }, context) {
      const paging = pagingOf(limit, cursor);
      const input = { organizationId: organizationOf(context), id, status: statusOf(status), paging };
      const { items, nextCursor } = await listSubscriptionDeliveries(deps, input);
      // A subscription that no longer receives disruptions may still have deliveries that contain disruptions.
      const visible = mayReadIncidents(context) ? items : items.map(withoutDisruption);
      return { deliveries: visible.map(deliveryToProto), nextCursor };
    },

    async redeliver({ subscriptionId, deliveryId: id }, context) {
      await requireReader(context, subscriptionId);
      const delivery = await redeliver(deps, { organizationId: organizationOf(context), subscriptionId, id });
      return { delivery: deliveryToProto(mayReadIncidents(context) ? delivery : withoutDisruption(delivery)) };
    },

    async rotateSecret({ id }, context) {
      await requireReader(context, id);
      const organizationId = organizationOf(context);
      return { secret: await rotateSecret(deps, { organizationId, id, idempotencyId: idempotencyIdOf(context) }) };
    },

    async replaySubscription({ id, since }, context) {
      if (!since) throw invalid({ since: ['is required'] });
      await requireReader(context, id);
      const input = { organizationId: organizationOf(context), id, since: timestampDate(since) };
      return { replayed: await replaySubscription(deps, input) };
    },
  };
}

function mayReadIncidents(context: HandlerContext): boolean {
  const caller = callerOf(context);
  return caller.kind !== 'credential' || grants(caller.permissions, 'incidents:read');
}

/** Returns the delivery without its body if the body contains a disruption. */
function withoutDisruption(delivery: Delivery): Delivery {
  return includesDisruptions([delivery.event]) ? { ...delivery, requestBody: undefined } : delivery;
}
