import type { Secrets } from '../domain/fill-secrets.ts';
import type { Observation } from '../domain/observation.ts';

/** What a monitor checks, with the version of its configuration. */
export interface CheckConfig {
  readonly monitorId: string;
  readonly version: number;
  readonly checkType: 'http' | 'tcp' | 'dns' | 'heartbeat' | 'synthetic';
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

/** One way of checking; never throws, what goes wrong is what it saw. */
export type Probe = (configJson: string, timeoutMs: number, secrets: Secrets) => Promise<Observation>;

/** One check to run. */
export interface Job {
  readonly monitorId: string;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

export interface Deps {
  readonly configs: CheckConfigs;
  readonly probes: Partial<Record<CheckConfig['checkType'], Probe>>;
  readonly now: () => Date;
}
