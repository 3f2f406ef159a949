import type { Services } from '../clients/services.ts';
import type { Route } from '../http/route.ts';
import { alertChannelRoutes } from './alert-channels.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { componentGroupRoutes } from './component-groups.ts';
import { componentRoutes } from './components.ts';
import { customDomainRoutes } from './custom-domain.ts';
import { disruptionRoutes } from './disruptions.ts';
import { meRoutes } from './me.ts';
import { monitorRoutes } from './monitors.ts';
import { statusPageRoutes } from './status-pages.ts';

/** Every endpoint below `/api/v1`. */
export function apiRoutes(services: Services): Route[] {
  return [
    ...meRoutes(),
    ...apiKeyRoutes(services),
    ...monitorRoutes(services),
    ...alertChannelRoutes(services),
    ...statusPageRoutes(services),
    ...customDomainRoutes(services),
    ...componentGroupRoutes(services),
    ...componentRoutes(services),
    ...disruptionRoutes(services),
  ];
}
