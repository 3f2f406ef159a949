import { type CheckType, MONITOR_SETTINGS } from '@tocsin/enums';

/** Settings that clients configure (spec: Resources, Monitor). */
export interface MonitorSettings {
  readonly name: string;
  readonly checkType: CheckType;
  readonly enabled: boolean;
  readonly intervalSeconds: number;
  readonly timeoutMs: number;
  /** Minutes of consecutive failures before the state down; for all check types except synthetic. */
  readonly confirmDownMinutes: number;
  readonly confirmUpMinutes: number;
  /** Number of consecutive failed rounds before the state down; synthetic only. */
  readonly confirmDownAfter: number;
  readonly confirmUpAfter: number;
  /** JSON of the config, exactly as the client sent it. */
  readonly configJson: string;
  readonly alertChannelIds: readonly string[];
  /** Names of the monitor's secrets, sorted; http and synthetic only. */
  readonly secretNames: readonly string[];
}

/** A stored token: the hash for lookups, and the sealed token for showing it to its owner. */
export interface HeartbeatToken {
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly sealed: string;
}

export interface Monitor extends MonitorSettings {
  readonly id: string;
  readonly organizationId: string;
  /** Token in the URL for pings; heartbeat only. Whoever has the token may ping, so it must not be guessable. */
  readonly heartbeatToken: HeartbeatToken | undefined;
  /** Version number that increases with every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const DEFAULT_SETTINGS = {
  enabled: true,
  intervalSeconds: MONITOR_SETTINGS.interval_seconds.default,
  timeoutMs: MONITOR_SETTINGS.timeout_ms.default,
  confirmDownMinutes: MONITOR_SETTINGS.confirm_down_minutes.default,
  confirmUpMinutes: MONITOR_SETTINGS.confirm_up_minutes.default,
  confirmDownAfter: MONITOR_SETTINGS.confirm_down_after.default,
  confirmUpAfter: MONITOR_SETTINGS.confirm_up_after.default,
  secretNames: [],
} as const;
