import { isLimitName, type LimitName } from '@tocsin/enums';
import { UsageService } from '@tocsin/proto/usage/v1/usage';
import {
  createRpcClient,
  createTransport,
  forOrganization,
  type Logger,
  type Tls,
  type TokenSource,
} from '@tocsin/runtime';
import type { GatewayConfig } from '../config.ts';

/** Returns how much of each limit an organization uses. Leaves out limits whose service is unavailable. */
export type CountUsage = (organizationId: string) => Promise<Partial<Record<LimitName, number>>>;

const TIMEOUT_MS = 2_000;

export function remoteUsage(config: GatewayConfig, tokens: TokenSource, logger: Logger, tls?: Tls): CountUsage {
  const services = [
    { url: config.identityUrl, service: 'identity' },
    { url: config.monitorUrl, service: 'monitor' },
    { url: config.statuspageUrl, service: 'statuspage' },
    { url: config.disruptionUrl, service: 'disruption' },
    { url: config.notifierUrl, service: 'notifier' },
  ].map(({ url, service }) => ({
    service,
    client: createRpcClient(UsageService, createTransport({ url, service, tokens, tls, timeoutMs: TIMEOUT_MS })),
  }));

  return async (organizationId) => {
    const usage: Partial<Record<LimitName, number>> = {};
    await Promise.all(
      services.map(async ({ service, client }) => {
        try {
          const { used } = await client.getUsage({}, forOrganization(organizationId));
          for (const [name, count] of Object.entries(used)) if (isLimitName(name)) usage[name] = Number(count);
        } catch (error) {
          logger.warn({ err: error }, `${service} can not count usage now`);
        }
      }),
    );
    return usage;
  };
}
