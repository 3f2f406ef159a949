import type { Transport } from '@connectrpc/connect';
import { componentStatuses } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { type LinkedComponent, StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { Components } from '../app/ports.ts';
import type { AffectedComponent } from '../domain/component.ts';

/** Timeout for a call, in milliseconds. The timeout is short because a transaction is open during the call. */
const TIMEOUT_MS = 3_000;

/** Maximum number of monitors in one request for the links of a page. */
const MONITORS_AT_ONCE = 1_000;

/** Returns a client for components in the statuspage service. */
export function statuspageComponents(transport: Transport): Components {
  const statuspage = createRpcClient(StatusPageService, transport);
  const actingFor = (organizationId: string) => forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
  return {
    async whileDown(organizationId, monitorId) {
      try {
        const { components } = await statuspage.listLinkedComponents({ monitorId }, actingFor(organizationId));
        return components.map(toDomain);
      } catch (cause) {
        throw unavailable('which components follow a monitor', cause);
      }
    },

    async onPageWhileDown(organizationId, statusPageId, monitorIds) {
      const linked = new Map<string, AffectedComponent[]>();
      try {
        for (let first = 0; first < monitorIds.length; first += MONITORS_AT_ONCE) {
          const request = { statusPageId, monitorIds: monitorIds.slice(first, first + MONITORS_AT_ONCE) };
          const { links } = await statuspage.listPageLinks(request, actingFor(organizationId));
          for (const { monitorId, component } of links) {
            if (component) linked.set(monitorId, [...(linked.get(monitorId) ?? []), toDomain(component)]);
          }
        }
        return linked;
      } catch (cause) {
        throw unavailable('which components of a page follow monitors', cause);
      }
    },

    async namesOnPage(organizationId, statusPageId, ids) {
      try {
        const request = { statusPageId, ids: [...ids] };
        const { components } = await statuspage.resolveComponents(request, actingFor(organizationId));
        return new Map(components.map(({ id, name }) => [id, name]));
      } catch (cause) {
        if (cause instanceof ServiceError && cause.kind === 'not_found') return undefined;
        throw unavailable('which components a page has', cause);
      }
    },
  };
}

/**
 * Returns a ServiceError `unavailable` for any failure, even for a wrong secret: the caller retries after this error,
 * so that the monitor's disruption is not lost.
 */
function unavailable(what: string, cause: unknown): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError('unavailable', `statuspage did not return ${what}: ${reason}`, { cause });
}

function toDomain({ id, name, statusPageId, downStatus }: LinkedComponent): AffectedComponent {
  // A status from a later version of statuspage is unknown here. It is replaced with `major_outage`, the default
  // `down_status` of links.
  return { id, name, statusPageId, status: componentStatuses.findName(downStatus) ?? 'major_outage' };
}
