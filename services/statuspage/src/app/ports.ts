import type { Database } from '@tocsin/database';

/** Monitors, which the monitor service owns. */
export interface Monitors {
  /** Those of the ids that are monitors of the organization. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
}

/** What the use cases work with. */
export interface Deps {
  readonly database: Database;
  readonly monitors: Monitors;
  readonly now: () => Date;
}
