import type { Services } from '../clients/services.ts';
import { IdParams, Nothing, type Route, route } from '../http/route.ts';
import { ChannelAnswer, ChannelCreate, ChannelPatch, channelAnswer } from '../schemas/alert-channel.ts';
import { data, dataList } from '../schemas/common.ts';
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
      answer: dataList(ChannelAnswer),
      async handle({ as }) {
        const answer = await channels.listChannels({}, as);
        return { data: answer.channels.map(channelAnswer) };
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/alert-channels',
      summary: 'Create an alert channel',
      body: ChannelCreate,
      answer: data(ChannelAnswer),
      status: 201,
      async handle({ body: { name, type, config, enabled, default_for_new_monitors: defaultForNewMonitors }, as }) {
        const configJson = JSON.stringify(config);
        const { channel } = await channels.createChannel(
          { name, type, configJson, enabled, defaultForNewMonitors },
          as,
        );
        return { data: channelAnswer(required(channel)) };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/alert-channels/:id',
      summary: 'Get an alert channel',
      params: IdParams,
      answer: data(ChannelAnswer),
      async handle({ params: { id }, as }) {
        const { channel } = await channels.getChannel({ id }, as);
        return { data: channelAnswer(required(channel)) };
      },
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/alert-channels/:id',
      summary: 'Change an alert channel; absent fields stay',
      params: IdParams,
      body: ChannelPatch,
      answer: data(ChannelAnswer),
      async handle({ params: { id }, body, as }) {
        const { name, type, config, enabled, default_for_new_monitors: defaultForNewMonitors } = body;
        const configJson = config && JSON.stringify(config);
        const { channel } = await channels.updateChannel(
          { id, name, type, configJson, enabled, defaultForNewMonitors },
          as,
        );
        return { data: channelAnswer(required(channel)) };
      },
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/alert-channels/:id',
      summary: 'Delete an alert channel; monitors lose their link to it',
      params: IdParams,
      answer: Nothing,
      status: 204,
      async handle({ params: { id }, as }) {
        await channels.deleteChannel({ id }, as);
        return null;
      },
    }),
  ];
}
