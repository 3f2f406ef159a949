import type { Database } from '@tocsin/database';
import type { CheckType } from '@tocsin/enums';
import type { Vault } from '@tocsin/vault';
import type { Logger } from 'pino';
import type { CheckResult } from '../domain/rounds/check-result.ts';

/** Alert channels, which notifier owns. */
export interface AlertChannels {
  /** Those of the ids that are channels of the organization. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
  /** The channels that a new monitor gets when it names none. */
  defaults(organizationId: string): Promise<string[]>;
}

/** Components of status pages, which statuspage owns. */
export interface Components {
  /**
   * The monitors that some components are linked to, each once.
   * @throws ServiceError `unavailable` when statuspage does not respond.
   */
  monitorsOf(organizationId: string, componentIds: readonly string[]): Promise<string[]>;
}

/** One check for one region. */
export interface CheckJob {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly checkType: CheckType;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

/** Sends work to the checkers. */
export interface Checkers {
  /** Resolves when the stream has all jobs, for every region; a job sent twice is run once. */
  send(jobs: readonly CheckJob[], regions: readonly string[]): Promise<void>;
  /** Runs one check now and returns the results that arrive before the deadline. */
  ask(job: CheckJob, regions: readonly string[], deadline: Date): Promise<CheckResult[]>;
}

/** Whether a region has checkers. */
export interface Regions {
  isServed(region: string): Promise<boolean>;
}

export interface Deps {
  readonly database: Database;
  readonly now: () => Date;
  /** Seals the monitors' secrets. */
  readonly vault: Vault;
  readonly logger: Logger;
  readonly channels: AlertChannels;
  readonly components: Components;
  readonly checkers: Checkers;
  /** Region labels that every monitor is checked from. */
  readonly regions: readonly string[];
}
