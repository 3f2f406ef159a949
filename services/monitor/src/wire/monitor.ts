import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { checkTypes, monitorStates } from '@tocsin/enums';
import { type Monitor as MonitorMessage, MonitorSchema } from '@tocsin/proto/monitor/v1/monitor';
import type { Monitor } from '../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../domain/rounds/evaluate.ts';

/** Returns the message for a monitor. `heartbeatToken` is present only in messages for the monitor's owner. */
export function monitorToProto(
  monitor: Monitor,
  evaluatorState: EvaluatorState | undefined,
  heartbeatToken = '',
): MonitorMessage {
  return create(MonitorSchema, {
    ...monitor,
    checkType: checkTypes.toValue(monitor.checkType),
    state: monitorStates.toValue(evaluatorState?.state ?? 'pending'),
    alertChannelIds: [...monitor.alertChannelIds],
    alertChannelLinks: monitor.alertChannelLinks.map((link) => ({ ...link, events: [...link.events] })),
    secretNames: [...monitor.secretNames],
    heartbeatToken,
    version: BigInt(monitor.version),
    createdAt: timestampFromDate(monitor.createdAt),
    updatedAt: timestampFromDate(monitor.updatedAt),
  });
}
