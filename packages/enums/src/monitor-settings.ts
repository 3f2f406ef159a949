import type { CheckType } from './monitor.ts';

interface MonitorSetting {
  /** Name of the setting in messages and in TypeScript. */
  readonly property: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  readonly example: number;
  readonly description: string;
  /** Check types that have the setting. */
  readonly appliesTo: 'every type' | 'synthetic' | 'not synthetic';
}

/** Numeric settings of a monitor, by their names in the API. */
export const MONITOR_SETTINGS = {
  interval_seconds: {
    property: 'intervalSeconds',
    minimum: 30,
    maximum: 86_400,
    default: 180,
    example: 60,
    description: 'Seconds between checks',
    appliesTo: 'every type',
  },
  timeout_ms: {
    property: 'timeoutMs',
    minimum: 1_000,
    maximum: 60_000,
    default: 10_000,
    example: 10_000,
    description: 'Milliseconds that a check may take',
    appliesTo: 'every type',
  },
  confirm_down_minutes: {
    property: 'confirmDownMinutes',
    minimum: 0,
    maximum: 30,
    default: 1,
    example: 1,
    description: 'Minutes of failures before the state down; every type but synthetic',
    appliesTo: 'not synthetic',
  },
  confirm_up_minutes: {
    property: 'confirmUpMinutes',
    minimum: 0,
    maximum: 30,
    default: 3,
    example: 3,
    description: 'Minutes of successes before the state up; every type but synthetic',
    appliesTo: 'not synthetic',
  },
  confirm_down_after: {
    property: 'confirmDownAfter',
    minimum: 1,
    maximum: 10,
    default: 3,
    example: 3,
    description: 'Failed rounds before the state down; synthetic only',
    appliesTo: 'synthetic',
  },
  confirm_up_after: {
    property: 'confirmUpAfter',
    minimum: 1,
    maximum: 10,
    default: 1,
    example: 1,
    description: 'Successful rounds before the state up; synthetic only',
    appliesTo: 'synthetic',
  },
} as const satisfies Readonly<Record<string, MonitorSetting>>;

export type MonitorSettingName = keyof typeof MONITOR_SETTINGS;
export const monitorSettingNames = Object.keys(MONITOR_SETTINGS) as MonitorSettingName[];

type PropertyOf<Name extends MonitorSettingName> = (typeof MONITOR_SETTINGS)[Name]['property'];

/** Numeric settings of a monitor, by their names in TypeScript. */
export type MonitorNumbers = { readonly [Name in MonitorSettingName as PropertyOf<Name>]: number };

/** Returns whether monitors of a check type have a setting. */
export function hasSetting(checkType: CheckType, name: MonitorSettingName): boolean {
  const { appliesTo } = MONITOR_SETTINGS[name];
  return appliesTo === 'every type' || (appliesTo === 'synthetic') === (checkType === 'synthetic');
}

/** Returns whether monitors of a check type can have secrets. */
export function mayHaveSecrets(checkType: CheckType): boolean {
  return checkType === 'http' || checkType === 'synthetic';
}

/** Bounds of the number of minutes that an outage must last before a linked channel is alerted. */
export const AFTER_MINUTES = { minimum: 0, maximum: 1_440 } as const;

/** Maximum number of alert channels per monitor. */
export const MAX_CHANNELS_OF_MONITOR = 50;
