import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { invalid } from '@tocsin/errors';
import { pagingOf } from '@tocsin/paging';
import type { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { idempotencyIdOf, limitsOf, organizationOf } from '@tocsin/runtime';
import { listRecipients } from '../app/channel-recipients.ts';
import { createChannel } from '../app/create-channel.ts';
import { deleteChannel } from '../app/delete-channel.ts';
import { getChannel } from '../app/get-channel.ts';
import { listChannels } from '../app/list-channels.ts';
import { listChannelDeliveries } from '../app/list-deliveries.ts';
import type { Deps } from '../app/ports.ts';
import { replayChannel } from '../app/replay-channel.ts';
import { resolveChannels } from '../app/resolve-channels.ts';
import { testChannel } from '../app/test-channel.ts';
import { updateChannel } from '../app/update-channel.ts';
import type { Channel } from '../domain/channel.ts';
import { channelToProto, policyFromProto } from '../wire/channel.ts';
import { deliveryToProto, statusOf } from '../wire/delivery.ts';

export function channelRpc(deps: Deps): ServiceImpl<typeof ChannelService> {
  const toProto = async (channel: Channel) => channelToProto(channel, await listRecipients(deps, channel));

  return {
    async createChannel(request, context) {
      const { name, type, configJson, enabled, defaultForNewMonitors } = request;
      const fallbackChannelId = request.fallbackChannelId || undefined;
      const organizationId = organizationOf(context);
      const limit = limitsOf(context).alert_channels;
      const flags = { enabled, defaultForNewMonitors, fallbackChannelId, policy: policyFromProto(request) };
      const idempotencyId = idempotencyIdOf(context);
      const input = { organizationId, idempotencyId, limit, name, type, configJson, ...flags };
      return { channel: await toProto(await createChannel(deps, input)) };
    },

    async getChannel({ id }, context) {
      return { channel: await toProto(await getChannel(deps, { organizationId: organizationOf(context), id })) };
    },

    async listChannels({ type, enabled, limit, cursor }, context) {
      const organizationId = organizationOf(context);
      const input = { organizationId, filter: { type, enabled }, paging: pagingOf(limit, cursor) };
      const { items, nextCursor } = await listChannels(deps, input);
      return { channels: await Promise.all(items.map(toProto)), nextCursor };
    },

    async updateChannel(request, context) {
      const { id, name, type, configJson, enabled, defaultForNewMonitors } = request;
      const fallbackChannelId = request.fallbackChannelId === '' ? null : request.fallbackChannelId;
      const organizationId = organizationOf(context);
      const flags = { enabled, defaultForNewMonitors, fallbackChannelId, policy: policyFromProto(request) };
      const input = { organizationId, id, name, type, configJson, ...flags };
      return { channel: await toProto(await updateChannel(deps, input)) };
    },

    async deleteChannel({ id }, context) {
      await deleteChannel(deps, { organizationId: organizationOf(context), id });
      return {};
    },

    async resolveChannels({ ids, defaults }, context) {
      const organizationId = organizationOf(context);
      return { ids: await resolveChannels(deps, { organizationId, wanted: defaults ? 'defaults' : ids }) };
    },

    async testChannel({ id }, context) {
      return { delivery: deliveryToProto(await testChannel(deps, { organizationId: organizationOf(context), id })) };
    },

    async listChannelDeliveries({ channelId: id, status, limit, cursor }, context) {
      const paging = pagingOf(limit, cursor);
      const input = { organizationId: organizationOf(context), id, status: statusOf(status), paging };
      const { items, nextCursor } = await listChannelDeliveries(deps, input);
      return { deliveries: items.map(deliveryToProto), nextCursor };
    },

    async replayChannel({ id, since }, context) {
      if (!since) throw invalid({ since: ['is required'] });
      const input = { organizationId: organizationOf(context), id, since: timestampDate(since) };
      return { replayed: await replayChannel(deps, input) };
    },
  };
}
