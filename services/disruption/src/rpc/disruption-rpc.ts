import type { ServiceImpl } from '@connectrpc/connect';
import type { DisruptionService } from '@tocsin/proto/disruption/v1/disruption';
import { organizationOf } from '@tocsin/runtime';
import { getDisruption } from '../app/get-disruption.ts';
import { listDisruptions } from '../app/list-disruptions.ts';
import type { Deps } from '../app/ports.ts';
import { disruptionToProto } from './convert.ts';

export function disruptionRpc(deps: Deps): ServiceImpl<typeof DisruptionService> {
  return {
    async getDisruption({ id }, context) {
      const disruption = await getDisruption(deps, { organizationId: organizationOf(context), id });
      return { disruption: disruptionToProto(disruption) };
    },

    async listDisruptions(_request, context) {
      const disruptions = await listDisruptions(deps, { organizationId: organizationOf(context) });
      return { disruptions: disruptions.map(disruptionToProto) };
    },
  };
}
