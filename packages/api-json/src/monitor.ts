import { checkTypes, monitorStates } from '@tocsin/enums';
import type { MonitorStateChanged } from '@tocsin/proto/monitor/v1/events';
import { CheckType, type Monitor } from '@tocsin/proto/monitor/v1/monitor';
import { toMicroseconds, toSeconds } from './time.ts';

/** Returns the API representation of a monitor (spec: Monitor). `baseUrl` is the public URL of the installation. */
export function monitorResource(monitor: Monitor, baseUrl: string) {
  const synthetic = monitor.checkType === CheckType.SYNTHETIC;
  const mayHaveSecrets = synthetic || monitor.checkType === CheckType.HTTP;
  const { heartbeatToken } = monitor;
  return {
    id: monitor.id,
    name: monitor.name,
    check_type: checkTypes.toName(monitor.checkType),
    enabled: monitor.enabled,
    interval_seconds: monitor.intervalSeconds,
    timeout_ms: monitor.timeoutMs,
    ...(synthetic
      ? { confirm_down_after: monitor.confirmDownAfter, confirm_up_after: monitor.confirmUpAfter }
      : { confirm_down_minutes: monitor.confirmDownMinutes, confirm_up_minutes: monitor.confirmUpMinutes }),
    config: JSON.parse(monitor.configJson),
    ...(mayHaveSecrets && { secret_names: monitor.secretNames }),
    ...(heartbeatToken && {
      heartbeat_token: heartbeatToken,
      heartbeat_url: `${baseUrl}/api/heartbeat/${heartbeatToken}`,
    }),
    current_state: monitorStates.toName(monitor.state),
    alert_channel_ids: monitor.alertChannelIds,
    ...(monitor.alertChannelsBroken && { alert_channels_broken: true }),
    inserted_at: toSeconds(monitor.createdAt),
    updated_at: toSeconds(monitor.updatedAt),
  };
}

/** Returns the data of a `monitor.state_changed` webhook (spec: Webhook subscriptions). */
export function stateChange(
  { monitor, state, previousState, enteredAt, error }: MonitorStateChanged & { readonly monitor: Monitor },
  baseUrl: string,
) {
  return {
    monitor: monitorResource(monitor, baseUrl),
    state: monitorStates.toName(state),
    previous_state: previousState ? monitorStates.toName(previousState) : null,
    entered_at: enteredAt ? toMicroseconds(enteredAt) : null,
    error: error || null,
  };
}
