import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AdminService } from '@tocsin/proto/monitor/v1/admin';
import { organizationOf, requireService } from '@tocsin/runtime';
import { replayMonitor } from '../app/history/replay-monitor.ts';
import type { Deps } from '../app/ports.ts';
import { stateToProto } from '../wire/monitor.ts';

export function adminRpc(deps: Deps): ServiceImpl<typeof AdminService> {
  return {
    async replayMonitor({ monitorId, since }, context) {
      requireService(context, 'admin');
      const question = { monitorId, since: since && timestampDate(since) };
      const { from, differences, ...counts } = await replayMonitor(deps, organizationOf(context), question);
      return {
        ...counts,
        from: timestampFromDate(from),
        differences: differences.map(({ at, explanation, ...states }) => ({
          at: timestampFromDate(at),
          ...(states.entered && { stateThen: stateToProto(states.entered) }),
          ...(states.today && { stateToday: stateToProto(states.today) }),
          explanation,
        })),
      };
    },
  };
}
