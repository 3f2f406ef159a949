import type { Database } from '@tocsin/database';
import type { AffectedComponent } from '../domain/component.ts';

/** Components of status pages, which statuspage owns. */
export interface LinkedComponents {
  /**
   * The components that follow a monitor, each with what it becomes while the monitor is down.
   * @throws ServiceError `unavailable` when nobody can tell right now.
   */
  whileDown(organizationId: string, monitorId: string): Promise<AffectedComponent[]>;
}

/** What the use cases work with. */
export interface Deps {
  readonly database: Database;
  readonly linkedComponents: LinkedComponents;
  /** Mail address that stands under what the system writes. */
  readonly senderAddress: string;
  readonly now: () => Date;
}
