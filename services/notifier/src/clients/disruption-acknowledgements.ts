import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { createRpcClient, forOrganization, type Logger } from '@tocsin/runtime';
import type { Disruptions } from '../app/ports.ts';

/** Time limit for a request, in milliseconds. It is short, because a page is rendered only after the response. */
const TIMEOUT_MS = 2_000;

/** Reads and acknowledges disruptions through the disruption service. */
export function disruptionAcknowledgements(transport: Transport, logger: Logger): Disruptions {
  const disruptions = createRpcClient(DisruptionService, transport);
  return {
    async find(organizationId, id) {
      try {
        const { disruption } = await disruptions.getDisruption(
          { id },
          forOrganization(organizationId, { timeoutMs: TIMEOUT_MS }),
        );
        if (!disruption) return undefined;
        const { acknowledgedAt, acknowledgedBy: by, resolvedAt } = disruption;
        return {
          acknowledgement: acknowledgedAt && { at: timestampDate(acknowledgedAt), by },
          resolvedAt: resolvedAt && timestampDate(resolvedAt),
        };
      } catch (error) {
        // The disruption may not exist yet, because it is opened at the same time as the alert. It may also have been
        // deleted.
        if (!(error instanceof ServiceError && error.kind === 'not_found'))
          logger.warn({ disruption_id: id, err: error }, 'an outage page is shown without its disruption');
        return undefined;
      }
    },

    async acknowledge(organizationId, { id, by }) {
      try {
        await disruptions.acknowledgeDisruption({ id, acknowledgedBy: by }, forOrganization(organizationId));
        return 'acknowledged';
      } catch (error) {
        if (error instanceof ServiceError && error.kind === 'conflict') return 'ended';
        if (error instanceof ServiceError && error.kind === 'not_found') return 'not_found';
        throw error;
      }
    },
  };
}
