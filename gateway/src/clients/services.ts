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
import { createRpcClient, createTransport, type Tls } from '@tocsin/runtime';
import type { GatewayConfig } from '../config.ts';

/** RPC clients for the services behind the gateway. Each call carries its caller's token (see withToken()). */
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

export function connectServices(config: GatewayConfig, tls?: Tls): Services {
  const identity = createTransport({ url: config.identityUrl, service: 'identity', tls });
  const monitor = createTransport({ url: config.monitorUrl, service: 'monitor', tls });
  const notifier = createTransport({ url: config.notifierUrl, service: 'notifier', tls });
  const statuspage = createTransport({ url: config.statuspageUrl, service: 'statuspage', tls });
  const disruption = createTransport({ url: config.disruptionUrl, service: 'disruption', tls });
  return {
    apiKeys: createRpcClient(ApiKeyService, identity),
    audit: createRpcClient(AuditService, identity),
    monitors: createRpcClient(MonitorService, monitor),
    history: createRpcClient(HistoryService, monitor),
    channels: createRpcClient(ChannelService, notifier),
    subscriptions: createRpcClient(SubscriptionService, notifier),
    pages: createRpcClient(StatusPageService, statuspage),
    components: createRpcClient(ComponentService, statuspage),
    disruptions: createRpcClient(DisruptionService, disruption),
  };
}
