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
  /** What the configuration may refer to as `{{NAME}}`; never told in an observation or a log. */
  readonly secrets: Secrets;
}

export interface CheckConfigs {
  /** The configuration in at least that version; undefined when the monitor is gone. */
  get(monitorId: string, version: number): Promise<CheckConfig | undefined>;
}

/** Where pictures of pages go whose script failed. */
export interface Screenshots {
  /** Keeps a JPEG; the first one of a monitor and round stays. */
  keep(picture: { readonly monitorId: string; readonly roundAt: Date; readonly image: Uint8Array }): Promise<void>;
}

/** One way of checking; never throws, what goes wrong is what it saw. */
export type Probe = (configJson: string, timeoutMs: number, secrets: Secrets) => Promise<Observation>;

/** One check to run. */
export interface Job {
  readonly monitorId: string;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

/** Whether what a check saw can be believed. */
export interface ConnectivityGuard {
  /** Answers the observation, or that it is unknown because the checker itself was in trouble. */
  judge(monitorId: string, observation: Observation): Promise<Observation>;
  /** Milliseconds since a moment (of `performance.now()`) in which the process stood still. */
  stalledSince(start: number): number;
}

export interface Deps {
  readonly configs: CheckConfigs;
  readonly doubts: ConnectivityGuard;
  readonly probes: Partial<Record<CheckConfig['checkType'], Probe>>;
  readonly now: () => Date;
}
