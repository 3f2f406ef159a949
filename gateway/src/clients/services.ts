import type { Client } from '@connectrpc/connect';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { AuditService } from '@tocsin/proto/identity/v1/audit';
import { HistoryService } from '@tocsin/proto/monitor/v1/history';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { SubscriptionService } from '@tocsin/proto/notifier/v1/subscription';
import { ComponentService } from '@tocsin/proto/statuspage/v1/component';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import type { GatewayConfig } from '../config.ts';

/** RPC clients of the services behind the gateway. Each call carries the token of its caller (see withToken()). */
export interface Services {
  readonly apiKeys: Client<typeof ApiKeyService>;
  readonly audit: Client<typeof AuditService>;
  readonly monitors: Client<typeof MonitorService>;
  readonly history: Client<typeof HistoryService>;
  readonly channels: Client<typeof ChannelService>;
  readonly subscriptions: Client<typeof SubscriptionService>;
  readonly pages: Client<typeof StatusPageService>;
  readonly components: Client<typeof ComponentService>;
  readonly disruptions: Client<typeof DisruptionService>;
}

export function connectServices(config: GatewayConfig): Services {
  return {
    apiKeys: createRpcClient(ApiKeyService, createTransport({ url: config.identityUrl, service: 'identity' })),
    audit: createRpcClient(AuditService, createTransport({ url: config.identityUrl, service: 'identity' })),
    monitors: createRpcClient(MonitorService, createTransport({ url: config.monitorUrl, service: 'monitor' })),
    history: createRpcClient(HistoryService, createTransport({ url: config.monitorUrl, service: 'monitor' })),
    channels: createRpcClient(ChannelService, createTransport({ url: config.notifierUrl, service: 'notifier' })),
    subscriptions: createRpcClient(
      SubscriptionService,
      createTransport({ url: config.notifierUrl, service: 'notifier' }),
    ),
    pages: createRpcClient(StatusPageService, createTransport({ url: config.statuspageUrl, service: 'statuspage' })),
    components: createRpcClient(
      ComponentService,
      createTransport({ url: config.statuspageUrl, service: 'statuspage' }),
    ),
    disruptions: createRpcClient(
      DisruptionService,
      createTransport({ url: config.disruptionUrl, service: 'disruption' }),
    ),
  };
}
