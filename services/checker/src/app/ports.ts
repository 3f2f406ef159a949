import type { CheckType } from '@tocsin/enums';
import type { Secrets } from '../domain/fill-secrets.ts';
import type { Observation } from '../domain/observation.ts';
import type { LagMeasurement } from './event-loop-lag.ts';

/** The check of a monitor, with the version of its configuration. */
export interface CheckConfig {
  readonly monitorId: string;
  readonly version: number;
  readonly checkType: CheckType;
  readonly timeoutMs: number;
  /** Type-specific configuration, as JSON text. */
  readonly configJson: string;
  /** Values for `{{NAME}}` in the configuration. Never part of an observation or a log. */
  readonly secrets: Secrets;
}

export interface CheckConfigs {
  /** Returns the configuration with the given version or a newer one; undefined if the monitor was deleted. */
  get(monitorId: string, version: number, organizationId: string): Promise<CheckConfig | undefined>;
}

/** Storage for screenshots of failed scripts. */
export interface Screenshots {
  /** Saves a JPEG; only the first one per monitor and round is stored. */
  keep(picture: { readonly monitorId: string; readonly roundAt: Date; readonly image: Uint8Array }): Promise<void>;
}

/** Runs a check of one type. Never throws: an error is part of the observation. */
export type Probe = (configJson: string, timeoutMs: number, secrets: Secrets) => Promise<Observation>;

/** One check to run. */
export interface Job {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

/** Decides whether the target or a problem of the checker caused an observation. */
export interface ConnectivityGuard {
  /** Returns the observation, or `unknown` if the checker itself had a problem. */
  confirm(monitorId: string, observation: Observation): Promise<Observation>;
  /** Starts to measure for how long the event loop is blocked. */
  measureLag(): LagMeasurement;
}

export interface Deps {
  readonly configs: CheckConfigs;
  readonly connectivity: ConnectivityGuard;
  readonly probes: Partial<Record<CheckConfig['checkType'], Probe>>;
  readonly now: () => Date;
}
