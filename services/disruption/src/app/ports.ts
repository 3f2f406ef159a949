import type { Database } from '@tocsin/database';
import type { AffectedComponent } from '../domain/component.ts';

/** Components of status pages, owned by statuspage. */
export interface Components {
  /**
   * Returns the components linked to a monitor, each with its status while the monitor is down.
   * @throws ServiceError `unavailable` when statuspage does not respond.
   */
  whileDown(organizationId: string, monitorId: string): Promise<AffectedComponent[]>;
  /**
   * Returns the names of the ids that are components of a page, by id; undefined when the page does not exist.
   * @throws ServiceError `unavailable` when statuspage does not respond.
   */
  namesOnPage(
    organizationId: string,
    statusPageId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string> | undefined>;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly components: Components;
  /** Author of automatic timeline entries, a mail address. */
  readonly senderAddress: string;
  readonly now: () => Date;
}
