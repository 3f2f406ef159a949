import type { Transport } from '@connectrpc/connect';
import { StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, forOrganization, type Logger } from '@tocsin/runtime';
import type { StatusPages } from '../app/ports.ts';

/** Time limit for a request. It is short, because an alert waits for the response. */
const TIMEOUT_MS = 2_000;

/** Reads the URLs of public status pages from statuspage. */
export function statuspagePages(transport: Transport, logger: Logger): StatusPages {
  const statuspage = createRpcClient(StatusPageService, transport);
  return {
    async urlFor(organizationId, monitorId) {
      const options = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
      try {
        const { components } = await statuspage.listLinkedComponents({ monitorId }, options);
        return components.find(({ statusPageUrl }) => statusPageUrl !== '')?.statusPageUrl;
      } catch (error) {
        logger.warn({ monitor_id: monitorId, err: error }, 'an alert goes out without a link to its status page');
        return undefined;
      }
    },
  };
}
