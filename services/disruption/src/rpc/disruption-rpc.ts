import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { pagingOf } from '@tocsin/paging';
import type { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { callerOf, idempotencyIdOf, limitsOf, organizationOf } from '@tocsin/runtime';
import { acknowledgeDisruption } from '../app/acknowledge-disruption.ts';
import { createDisruption } from '../app/create-disruption.ts';
import { deleteDisruption } from '../app/delete-disruption.ts';
import { deleteUpdate, editUpdate } from '../app/edit-timeline.ts';
import { getDisruption } from '../app/get-disruption.ts';
import { listDisruptions } from '../app/list-disruptions.ts';
import type { Deps } from '../app/ports.ts';
import { updateDisruption } from '../app/update-disruption.ts';
import type { Disruption } from '../domain/disruption.ts';
import {
  changesFromProto,
  disruptionToProto,
  filterFromProto,
  newFromProto,
  publicationFromProto,
} from '../wire/disruption.ts';

export function disruptionRpc(deps: Deps): ServiceImpl<typeof DisruptionService> {
  const response = (disruption: Disruption) => ({ disruption: disruptionToProto(disruption) });

  /**
   * Returns the author of a timeline entry: the email address of the credential's user, or the system's sender address
   * if the caller is a service.
   */
  function postedBy(context: HandlerContext): string {
    const caller = callerOf(context);
    return caller.kind === 'credential' ? caller.actorEmail : deps.senderAddress;
  }

  return {
    async getDisruption({ id }, context) {
      return response(await getDisruption(deps, { organizationId: organizationOf(context), id }));
    },

    async listDisruptions(request, context) {
      const { items, nextCursor } = await listDisruptions(deps, {
        organizationId: organizationOf(context),
        filter: filterFromProto(request),
        paging: pagingOf(request.limit, request.cursor),
      });
      return { disruptions: items.map(disruptionToProto), nextCursor };
    },

    async createDisruption(request, context) {
      const disruption = await createDisruption(deps, {
        organizationId: organizationOf(context),
        idempotencyId: idempotencyIdOf(context),
        postedBy: postedBy(context),
        wanted: newFromProto(request),
        publication: publicationFromProto(request),
        silent: request.silent,
        limit: limitsOf(context).disruptions,
      });
      return response(disruption);
    },

    async updateDisruption(request, context) {
      const disruption = await updateDisruption(deps, {
        organizationId: organizationOf(context),
        id: request.id,
        postedBy: postedBy(context),
        changes: changesFromProto(request),
        publication: publicationFromProto(request),
        silent: request.silent,
      });
      return response(disruption);
    },

    async acknowledgeDisruption({ id, acknowledgedBy }, context) {
      const caller = callerOf(context);
      const by = caller.kind === 'credential' ? caller.actorEmail : acknowledgedBy;
      return response(await acknowledgeDisruption(deps, { organizationId: organizationOf(context), id, by }));
    },

    async editUpdate({ id, updateId, message, silent }, context) {
      const organizationId = organizationOf(context);
      return response(await editUpdate(deps, { organizationId, id, updateId, message, silent }));
    },

    async deleteUpdate({ id, updateId }, context) {
      await deleteUpdate(deps, { organizationId: organizationOf(context), id, updateId });
      return {};
    },

    async deleteDisruption({ id }, context) {
      await deleteDisruption(deps, { organizationId: organizationOf(context), id });
      return {};
    },
  };
}
