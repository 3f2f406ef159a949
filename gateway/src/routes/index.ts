import type { Services } from '../clients/services.ts';
import type { Route } from '../http/route.ts';
import { alertChannelRoutes } from './alert-channels.ts';
import { disruptionRoutes } from './disruptions.ts';
import { meRoutes } from './me.ts';
import { monitorRoutes } from './monitors.ts';
import { statusPageRoutes } from './status-pages.ts';

/** Every endpoint below `/api/v1`. */
export function apiRoutes(services: Services): Route[] {
  return [
    ...meRoutes(),
    ...monitorRoutes(services),
    ...alertChannelRoutes(services),
    ...statusPageRoutes(services),
    ...disruptionRoutes(services),
  ];
}
