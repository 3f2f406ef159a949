import type { Transport } from '@connectrpc/connect';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { AlertChannels } from '../app/ports.ts';

/** Returns a client for alert channels in the notifier service. */
export function notifierChannels(transport: Transport): AlertChannels {
  const notifier = createRpcClient(ChannelService, transport);
  return {
    async existing(organizationId, ids) {
      return (await notifier.resolveChannels({ ids: [...ids] }, forOrganization(organizationId))).ids;
    },
    async defaults(organizationId) {
      return (await notifier.resolveChannels({ defaults: true }, forOrganization(organizationId))).ids;
    },
  };
}
