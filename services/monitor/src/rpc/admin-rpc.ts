import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { monitorStates } from '@tocsin/enums';
import type { AdminService } from '@tocsin/proto/monitor/v1/admin';
import { organizationOf } from '@tocsin/runtime';
import { replayMonitor } from '../app/history/replay-monitor.ts';
import type { Deps } from '../app/ports.ts';

export function adminRpc(deps: Deps): ServiceImpl<typeof AdminService> {
  return {
    async replayMonitor({ monitorId, since }, context) {
      const question = { monitorId, since: since && timestampDate(since) };
      const { from, differences, ...counts } = await replayMonitor(deps, organizationOf(context), question);
      return {
        ...counts,
        from: timestampFromDate(from),
        differences: differences.map(({ at, explanation, ...states }) => ({
          at: timestampFromDate(at),
          ...(states.entered && { stateThen: monitorStates.toValue(states.entered) }),
          ...(states.today && { stateToday: monitorStates.toValue(states.today) }),
          explanation,
        })),
      };
    },
  };
}
