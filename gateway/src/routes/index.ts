import type { Services } from '../clients/services.ts';
import type { Route } from '../endpoint/route.ts';
import { alertChannelRoutes } from './alert-channels.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { componentGroupRoutes } from './component-groups.ts';
import { componentRoutes } from './components.ts';
import { customDomainRoutes } from './custom-domain.ts';
import { disruptionRoutes } from './disruptions.ts';
import { meRoutes } from './me.ts';
import { monitorHistoryRoutes } from './monitor-history.ts';
import { monitorRoutes } from './monitors.ts';
import { statusPageRoutes } from './status-pages.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every endpoint below `/api/v1`. `baseUrl` is where the public finds them. */
export function apiRoutes(services: Services, baseUrl: string): Route[] {
  return [
    ...meRoutes(),
    ...apiKeyRoutes(services),
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
