import type { Database } from '@tocsin/database';
import type { AffectedComponent } from '../domain/component.ts';

/** Components of status pages, which statuspage owns. */
export interface Components {
  /**
   * The components that follow a monitor, each with what it becomes while the monitor is down.
   * @throws ServiceError `unavailable` when nobody can tell right now.
   */
  whileDown(organizationId: string, monitorId: string): Promise<AffectedComponent[]>;
  /**
   * The names of those of the ids that are components of a page, by id; undefined when there is no such page.
   * @throws ServiceError `unavailable` when nobody can tell right now.
   */
  namesOnPage(
    organizationId: string,
    statusPageId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string> | undefined>;
}

/** What the use cases work with. */
export interface Deps {
  readonly database: Database;
  readonly components: Components;
  /** Mail address that stands under what the system writes. */
  readonly senderAddress: string;
  readonly now: () => Date;
}
