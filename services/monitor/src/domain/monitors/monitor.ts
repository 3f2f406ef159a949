import { type CheckType, MONITOR_SETTINGS, type MonitorNumbers } from '@tocsin/enums';
import type { ChannelLink } from './channel-links.ts';

/** Settings that clients configure. */
export interface MonitorSettings extends MonitorNumbers {
  readonly name: string;
  readonly checkType: CheckType;
  readonly enabled: boolean;
  /** JSON of the config, exactly as the client sent it. */
  readonly configJson: string;
  readonly alertChannelIds: readonly string[];
  /**
   * Settings of the links to alert channels, in the order of `alertChannelIds`. Links without settings are left out.
   */
  readonly alertChannelLinks: readonly ChannelLink[];
  /** Sorted names of the monitor's secrets. Only http and synthetic monitors can have secrets. */
  readonly secretNames: readonly string[];
}

/** A stored token: its hash, for lookups, and its sealed value, which is shown to the owner. */
export interface HeartbeatToken {
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly sealed: string;
}

export interface Monitor extends MonitorSettings {
  readonly id: string;
  readonly organizationId: string;
  /**
   * Token in the URL to which jobs send pings; undefined for all types except heartbeat. Anyone with the token can
   * ping, so it must not be guessable.
   */
  readonly heartbeatToken: HeartbeatToken | undefined;
  /** Version number that increases with every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const DEFAULT_NUMBERS = Object.fromEntries(
  Object.values(MONITOR_SETTINGS).map((setting) => [setting.property, setting.default]),
) as unknown as MonitorNumbers;

export const DEFAULT_SETTINGS = { ...DEFAULT_NUMBERS, enabled: true, alertChannelLinks: [], secretNames: [] } as const;
