import type { Services } from '../clients/services.ts';
import { IdParams, NoContent, type Route, route } from '../endpoint/route.ts';
import {
  ChannelCreate,
  ChannelPatch,
  ChannelQuery,
  ChannelSchema,
  channelPolicy,
  Replay,
  Replayed,
  toChannelJson,
} from '../schemas/alert-channel.ts';
import { channelConfigs } from '../schemas/channel-config.ts';
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

const read = { tag: 'Alert channels', permission: 'alert_channels:read' } as const;
const write = { tag: 'Alert channels', permission: 'alert_channels:read_write' } as const;

export function alertChannelRoutes({ channels }: Services): Route[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/alert-channels',
      summary: 'List alert channels, newest first',
      query: ChannelQuery,
      response: dataList(ChannelSchema),
      async handle({ query, as, nextPage }) {
        const response = await channels.listChannels(query, as);
        if (response.nextCursor) nextPage(response.nextCursor);
        return { data: response.channels.map(toChannelJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/alert-channels',
      summary: 'Create an alert channel',
      body: ChannelCreate,
      configs: channelConfigs,
      response: data(ChannelSchema),
      status: 201,
      async handle({ body, as }) {
        const { name, type, config, enabled, default_for_new_monitors: defaultForNewMonitors } = body;
        const fallbackChannelId = body.fallback_channel_id ?? '';
        const configJson = JSON.stringify(config);
        const { channel } = await channels.createChannel(
          { name, type, configJson, enabled, defaultForNewMonitors, fallbackChannelId, ...channelPolicy(body) },
          as,
        );
        return { data: toChannelJson(required(channel)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/alert-channels/:id',
      summary: 'Get an alert channel',
      params: IdParams,
      response: data(ChannelSchema),
      async handle({ params: { id }, as }) {
        const { channel } = await channels.getChannel({ id }, as);
        return { data: toChannelJson(required(channel)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/alert-channels/:id',
      summary: 'Update an alert channel; absent fields keep their values',
      params: IdParams,
      body: ChannelPatch,
      configs: channelConfigs,
      response: data(ChannelSchema),
      async handle({ params: { id }, body, as }) {
        const { name, type, config, enabled, default_for_new_monitors: defaultForNewMonitors } = body;
        const configJson = config && JSON.stringify(config);
        const fallbackChannelId = body.fallback_channel_id === null ? '' : body.fallback_channel_id;
        const { channel } = await channels.updateChannel(
          { id, name, type, configJson, enabled, defaultForNewMonitors, fallbackChannelId, ...channelPolicy(body) },
          as,
        );
        return { data: toChannelJson(required(channel)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/alert-channels/:id',
      summary: 'Delete an alert channel and unlink it from its monitors',
      params: IdParams,
      response: NoContent,
      status: 204,
      async handle({ params: { id }, as }) {
        await channels.deleteChannel({ id }, as);
        return null;
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/alert-channels/:id/test',
      isWaiting: true,
      summary:
        'Send a test alert and return its outcome; a success marks a broken channel as healthy, and a final response marks a healthy one as broken',
      params: IdParams,
      response: data(DeliverySchema),
      async handle({ params: { id }, as }) {
        const { delivery } = await channels.testChannel({ id }, { ...as, timeoutMs: ATTEMPT_TIMEOUT_MS });
        return { data: toDeliveryJson(required(delivery)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/alert-channels/:id/deliveries',
      summary: 'List deliveries of the last 30 days, newest first',
      params: IdParams,
      query: DeliveryQuery,
      response: dataList(DeliverySchema),
      async handle({ params: { id: channelId }, query, as, nextPage }) {
        const response = await channels.listChannelDeliveries({ channelId, ...deliveryFilter(query) }, as);
        if (response.nextCursor) nextPage(response.nextCursor);
        return { data: response.deliveries.map(toDeliveryJson) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/alert-channels/:id/replay',
      summary: 'Send again what the channel did not get since a time, oldest first and marked as late',
      params: IdParams,
      body: Replay,
      response: data(Replayed),
      mayConflict: true,
      async handle({ params: { id }, body, as }) {
        const { replayed } = await channels.replayChannel({ id, ...momentsOf({ since: body.since }) }, as);
        return { data: { replayed } };
      },
    }),
  ];
}
