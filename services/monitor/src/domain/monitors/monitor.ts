import { type CheckType, MONITOR_SETTINGS } from '@tocsin/enums';

/** What its owner configured (spec: Resources, Monitor). */
export interface MonitorSettings {
  readonly name: string;
  readonly checkType: CheckType;
  readonly enabled: boolean;
  readonly intervalSeconds: number;
  readonly timeoutMs: number;
  /** Minutes of consecutive failures before down; every type but synthetic. */
  readonly confirmDownMinutes: number;
  readonly confirmUpMinutes: number;
  /** Consecutive rounds; synthetic only. */
  readonly confirmDownAfter: number;
  readonly confirmUpAfter: number;
  /** JSON text exactly as it was sent. */
  readonly configJson: string;
  readonly alertChannelIds: readonly string[];
  /** Names of its secret variables, sorted; http and synthetic only. */
  readonly secretNames: readonly string[];
}

/** A token as it is stored: found by its hash, shown from a sealed copy. */
export interface HeartbeatToken {
  /** SHA-256, in hex. */
  readonly hash: string;
  readonly sealed: string;
}

export interface Monitor extends MonitorSettings {
  readonly id: string;
  readonly organizationId: string;
  /** Token in the URL of its pings; heartbeat only. Not guessable: its holder may ping. */
  readonly heartbeatToken: HeartbeatToken | undefined;
  /** Grows with every change. */
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
