import {
  ALERT_EVENTS,
  type CheckType,
  checkTypes,
  hasSetting,
  MONITOR_SETTINGS,
  type MonitorSettingName,
  mayHaveSecrets,
  monitorSettingNames,
  monitorStates,
} from '@tocsin/enums';
import type { MonitorStateChanged } from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import { toMicroseconds, toSeconds } from './time.ts';

/** Returns the API representation of a monitor. `baseUrl` is the public URL of the installation. */
export function monitorResource(monitor: Monitor, baseUrl: string) {
  return monitorResourceWith(monitor, baseUrl, JSON.parse(monitor.configJson));
}

/** Returns the API representation of a monitor with another representation of its config. */
export function monitorResourceWith<Config>(monitor: Monitor, baseUrl: string, config: Config) {
  const checkType = checkTypes.toName(monitor.checkType);
  const { heartbeatToken } = monitor;
  return {
    id: monitor.id,
    name: monitor.name,
    check_type: checkType,
    enabled: monitor.enabled,
    ...settingsOf(monitor, checkType),
    config,
    ...(mayHaveSecrets(checkType) && { secret_names: monitor.secretNames }),
    ...(heartbeatToken && {
      heartbeat_token: heartbeatToken,
      heartbeat_url: `${baseUrl}/api/heartbeat/${heartbeatToken}`,
    }),
    current_state: monitorStates.toName(monitor.state),
    alert_channel_ids: monitor.alertChannelIds,
    ...(monitor.alertChannelLinks.length > 0 && {
      alert_channel_links: monitor.alertChannelLinks.map(({ channelId, afterMinutes, events }) => ({
        channel_id: channelId,
        after_minutes: afterMinutes,
        events: events.length === 0 ? null : ALERT_EVENTS.filter((event) => events.includes(event)),
      })),
    }),
    ...(monitor.alertChannelsBroken && { alert_channels_broken: true }),
    inserted_at: toSeconds(monitor.createdAt),
    updated_at: toSeconds(monitor.updatedAt),
  };
}

/** Names of the numeric settings of monitors, by check type. */
const settingNames = new Map(
  checkTypes.names.map((type) => [type, monitorSettingNames.filter((name) => hasSetting(type, name))]),
);

function settingsOf(monitor: Monitor, checkType: CheckType) {
  const names = settingNames.get(checkType) ?? [];
  type Settings = Pick<Record<MonitorSettingName, number>, 'interval_seconds' | 'timeout_ms'> &
    Partial<Record<MonitorSettingName, number>>;
  return Object.fromEntries(names.map((name) => [name, monitor[MONITOR_SETTINGS[name].property]])) as Settings;
}

/** Returns the data of a `monitor.state_changed` webhook. */
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
