import type { CheckType } from '@tocsin/enums';
import type { Secrets } from '../domain/fill-secrets.ts';
import type { Observation } from '../domain/observation.ts';

/** What a monitor checks, with the version of its configuration. */
export interface CheckConfig {
  readonly monitorId: string;
  readonly version: number;
  readonly checkType: CheckType;
  readonly timeoutMs: number;
  /** JSON text of the type-specific configuration. */
  readonly configJson: string;
  /** What the configuration may refer to as `{{NAME}}`; never part of an observation or a log. */
  readonly secrets: Secrets;
}

export interface CheckConfigs {
  /** The configuration in at least that version; undefined when the monitor is gone. */
  get(monitorId: string, version: number): Promise<CheckConfig | undefined>;
}

/** Where screenshots of failed scripts are saved. */
export interface Screenshots {
  /** Saves a JPEG; only the first one per monitor and round is stored. */
  keep(picture: { readonly monitorId: string; readonly roundAt: Date; readonly image: Uint8Array }): Promise<void>;
}

/** One way of checking. Never throws: an error is part of the observation. */
export type Probe = (configJson: string, timeoutMs: number, secrets: Secrets) => Promise<Observation>;

/** One check to run. */
export interface Job {
  readonly monitorId: string;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

/** Decides whether what a check saw can be believed. */
export interface ConnectivityGuard {
  /** Returns the observation, or `unknown` if the checker itself had a problem. */
  judge(monitorId: string, observation: Observation): Promise<Observation>;
  /** Returns for how many milliseconds the event loop was blocked since a moment of `performance.now()`. */
  stalledSince(start: number): number;
}

export interface Deps {
  readonly configs: CheckConfigs;
  readonly doubts: ConnectivityGuard;
  readonly probes: Partial<Record<CheckConfig['checkType'], Probe>>;
  readonly now: () => Date;
}
