import type { Transport } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { Components } from '../app/ports.ts';

/** Timeout for a call, in milliseconds. The timeout is short because a transaction is open during the call. */
const TIMEOUT_MS = 3_000;

/** Returns a client for components in the statuspage service. */
export function statuspageComponents(transport: Transport): Components {
  const statuspage = createRpcClient(StatusPageService, transport);
  return {
    async monitorsOf(organizationId, componentIds) {
      try {
        const acting = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
        return (await statuspage.listLinkedMonitors({ componentIds: [...componentIds] }, acting)).monitorIds;
      } catch (cause) {
        // Every failure is reported as `unavailable`, so that the caller retries and no maintenance is missed.
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ServiceError('unavailable', `statuspage did not say which monitors are linked: ${reason}`, {
          cause,
        });
      }
    },
  };
}
