import type { Database } from '@tocsin/database';
import type { CheckType } from '@tocsin/enums';
import type { Vault } from '@tocsin/vault';
import type { Logger } from 'pino';
import type { CheckResult } from '../domain/rounds/check-result.ts';

/** Alert channels, which the notifier service stores. */
export interface AlertChannels {
  /** Returns which of the given ids belong to the organization's channels. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
  /** Returns the default channels, which a new monitor gets if its request does not list channels. */
  defaults(organizationId: string): Promise<string[]>;
}

/** Components of status pages, which the statuspage service stores. */
export interface Components {
  /**
   * Returns the monitors that the components are linked to, without duplicates.
   * @throws ServiceError `unavailable` if statuspage does not respond.
   */
  monitorsOf(organizationId: string, componentIds: readonly string[]): Promise<string[]>;
}

/** A check that checkers run, once in each region. */
export interface CheckJob {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly checkType: CheckType;
  readonly configVersion: number;
  readonly roundAt: Date;
  readonly startBefore: Date;
}

/** Checkers of all regions. */
export interface Checkers {
  /**
   * Publishes jobs for every region. Resolves when the stream has stored all of them. Jobs that are sent twice run
   * once.
   */
  send(jobs: readonly CheckJob[], regions: readonly string[]): Promise<void>;
  /** Runs an on-demand check and returns the results that arrive before the deadline. */
  ask(job: CheckJob, regions: readonly string[], deadline: Date): Promise<CheckResult[]>;
}

/** Lookup that returns whether a region has a checker that accepts jobs. */
export interface Regions {
  isServed(region: string): Promise<boolean>;
}

export interface Deps {
  readonly database: Database;
  /**
   * Returns the time of the database server. In the first ten seconds after this host resumes from a suspension, the
   * returned time may be too early.
   */
  readonly now: () => Date;
  /** Reads the clock of the database server. */
  readonly readClock: () => Promise<Date>;
  /** Vault that seals the monitors' secrets and heartbeat tokens. */
  readonly vault: Vault;
  readonly logger: Logger;
  readonly channels: AlertChannels;
  readonly components: Components;
  readonly checkers: Checkers;
  /** Labels of the regions that check every monitor. */
  readonly regions: readonly string[];
}
