import type { Client } from '@connectrpc/connect';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import type { GatewayConfig } from '../config.ts';

/** The services behind the gateway. Every call brings its caller's token: see withToken(). */
export interface Services {
  readonly monitors: Client<typeof MonitorService>;
  readonly channels: Client<typeof ChannelService>;
  readonly pages: Client<typeof StatusPageService>;
  readonly disruptions: Client<typeof DisruptionService>;
}

export function connectServices(config: GatewayConfig): Services {
  return {
    monitors: createRpcClient(MonitorService, createTransport({ url: config.monitorUrl })),
    channels: createRpcClient(ChannelService, createTransport({ url: config.notifierUrl })),
    pages: createRpcClient(StatusPageService, createTransport({ url: config.statuspageUrl })),
    disruptions: createRpcClient(DisruptionService, createTransport({ url: config.disruptionUrl })),
  };
}
