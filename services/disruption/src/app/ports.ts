import type { Database } from '@tocsin/database';
import type { AffectedComponent } from '../domain/component.ts';

/** Components of status pages, which the statuspage service stores. */
export interface Components {
  /**
   * Returns the components linked to a monitor, each with the status that it has while the monitor is down.
   * @throws ServiceError `unavailable` if statuspage does not respond.
   */
  whileDown(organizationId: string, monitorId: string): Promise<AffectedComponent[]>;
  /**
   * Returns the names of the page's components with these ids, by id. Unknown ids are left out. Returns undefined if
   * the page does not exist.
   * @throws ServiceError `unavailable` if statuspage does not respond.
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
  /** Mail address of the system, as the author of automatic timeline entries. */
  readonly senderAddress: string;
  readonly now: () => Date;
}
