import type { CheckType } from '@tocsin/enums';

/** Check types, by their names in the contract. */

/** What its owner configured (spec: Resources, Monitor). */
export interface MonitorSettings {
  readonly name: string;
  readonly checkType: CheckType;
  readonly enabled: boolean;
  /** 30 to 86400. */
  readonly intervalSeconds: number;
  /** 1000 to 60000. */
  readonly timeoutMs: number;
  /** Minutes of consecutive failures before down, 0 to 30; every type but synthetic. */
  readonly confirmDownMinutes: number;
  readonly confirmUpMinutes: number;
  /** Consecutive rounds, 1 to 10; synthetic only. */
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
  intervalSeconds: 180,
  timeoutMs: 10_000,
  confirmDownMinutes: 1,
  confirmUpMinutes: 3,
  confirmDownAfter: 3,
  confirmUpAfter: 1,
  secretNames: [],
} as const;
