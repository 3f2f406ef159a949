import type { Services } from '../clients/services.ts';
import type { CountUsage } from '../clients/usage.ts';
import type { Route } from '../endpoint/route.ts';
import type { RateWindows } from '../storage/rate-windows.ts';
import { alertChannelRoutes } from './alert-channels.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditLogRoutes } from './audit-log.ts';
import { componentGroupRoutes } from './component-groups.ts';
import { componentRoutes } from './components.ts';
import { customDomainRoutes } from './custom-domain.ts';
import { disruptionRoutes } from './disruptions.ts';
import { meRoutes } from './me.ts';
import { monitorHistoryRoutes } from './monitor-history.ts';
import { monitorRoutes } from './monitors.ts';
import { statusPageRoutes } from './status-pages.ts';
import { webhookRoutes } from './webhooks.ts';

/** Dependencies of the endpoints. */
export interface ApiParts {
  readonly services: Services;
  readonly countUsage: CountUsage;
  readonly windows: RateWindows;
}

/** Returns all endpoints below `/api/v1`. `baseUrl` is the public URL of the installation. */
export function apiRoutes({ services, countUsage, windows }: ApiParts, baseUrl: string): Route[] {
  return [
    ...meRoutes(countUsage, windows),
    ...apiKeyRoutes(services),
    ...auditLogRoutes(services),
    ...monitorRoutes(services, baseUrl),
    ...monitorHistoryRoutes(services, baseUrl),
    ...alertChannelRoutes(services),
    ...webhookRoutes(services),
    ...statusPageRoutes(services),
    ...customDomainRoutes(services),
    ...componentGroupRoutes(services),
    ...componentRoutes(services),
    ...disruptionRoutes(services),
  ];
}
