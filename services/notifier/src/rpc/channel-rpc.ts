import type { ServiceImpl } from '@connectrpc/connect';
import type { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { organizationOf } from '@tocsin/runtime';
import { createChannel } from '../app/create-channel.ts';
import { deleteChannel } from '../app/delete-channel.ts';
import { getChannel } from '../app/get-channel.ts';
import { listChannels } from '../app/list-channels.ts';
import type { Deps } from '../app/ports.ts';
import { resolveChannels } from '../app/resolve-channels.ts';
import { updateChannel } from '../app/update-channel.ts';
import { channelToProto } from './convert.ts';

export function channelRpc(deps: Deps): ServiceImpl<typeof ChannelService> {
  return {
    async createChannel({ name, type, configJson, enabled, defaultForNewMonitors }, context) {
      const organizationId = organizationOf(context);
      const input = { organizationId, name, type, configJson, enabled, defaultForNewMonitors };
      return { channel: channelToProto(await createChannel(deps, input)) };
    },

    async getChannel({ id }, context) {
      return { channel: channelToProto(await getChannel(deps, { organizationId: organizationOf(context), id })) };
    },

    async listChannels(_request, context) {
      const channels = await listChannels(deps, { organizationId: organizationOf(context) });
      return { channels: channels.map(channelToProto) };
    },

    async updateChannel({ id, name, type, configJson, enabled, defaultForNewMonitors }, context) {
      const organizationId = organizationOf(context);
      const input = { organizationId, id, name, type, configJson, enabled, defaultForNewMonitors };
      return { channel: channelToProto(await updateChannel(deps, input)) };
    },

    async deleteChannel({ id }, context) {
      await deleteChannel(deps, { organizationId: organizationOf(context), id });
      return {};
    },

    async resolveChannels({ ids, defaults }, context) {
      const organizationId = organizationOf(context);
      return { ids: await resolveChannels(deps, { organizationId, wanted: defaults ? 'defaults' : ids }) };
    },
  };
}
