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
   * Returns the components of a page that are linked to any of the given monitors, by monitor. Each component has the
   * status that it has while the monitor is down.
   * @throws ServiceError `unavailable` if statuspage does not respond.
   */
  onPageWhileDown(
    organizationId: string,
    statusPageId: string,
    monitorIds: readonly string[],
  ): Promise<ReadonlyMap<string, AffectedComponent[]>>;
  /**
   * Returns a map from id to name for those components of the page that have one of the given ids. Ignores unknown ids.
   * Returns undefined if the page does not exist.
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
  /** Email address that automatic timeline entries have as their author. */
  readonly senderAddress: string;
  readonly now: () => Date;
}
