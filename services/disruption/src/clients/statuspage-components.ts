import type { Transport } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { type LinkedComponent, StatusPageService } from '@tocsin/proto/statuspage/v1/statuspage';
import { createRpcClient, forOrganization } from '@tocsin/runtime';
import type { LinkedComponents } from '../app/ports.ts';
import type { AffectedComponent } from '../domain/component.ts';
import { componentStatusFromProto } from '../rpc/convert.ts';

/** A transaction waits for the answer. */
const TIMEOUT_MS = 3_000;

/** Linked components, asked of statuspage. */
export function statuspageComponents(transport: Transport): LinkedComponents {
  const statuspage = createRpcClient(StatusPageService, transport);
  return {
    async whileDown(organizationId, monitorId) {
      try {
        const options = forOrganization(organizationId, { timeoutMs: TIMEOUT_MS });
        const { components } = await statuspage.listLinkedComponents({ monitorId }, options);
        return components.map(toDomain);
      } catch (cause) {
        // Whatever it was, a wrong secret included: nothing is wrong with the monitor, and its disruption must not be lost.
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ServiceError('unavailable', `statuspage did not tell which components follow a monitor: ${reason}`, {
          cause,
        });
      }
    },
  };
}

function toDomain({ id, name, statusPageId, downStatus }: LinkedComponent): AffectedComponent {
  // A status of a later version is still a bad one, and this is what links are by default.
  return { id, name, statusPageId, status: componentStatusFromProto(downStatus) ?? 'major_outage' };
}
