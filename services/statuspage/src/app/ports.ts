import type { Database } from '@tocsin/database';
import type { DnsRecord } from '../domain/custom-domain.ts';
import type { PublicAddress } from '../domain/public-url.ts';

/** Monitors, which the monitor service owns. */
export interface Monitors {
  /** Those of the ids that are monitors of the organization. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
}

/** The world's DNS. */
export interface Dns {
  /** What the records of a name say; none for a name that has none. @throws ServiceError `unavailable` */
  lookup(type: DnsRecord['type'], name: string): Promise<string[]>;
}

/** What the use cases work with. */
export interface Deps {
  readonly database: Database;
  readonly monitors: Monitors;
  readonly dns: Dns;
  readonly address: PublicAddress;
  readonly now: () => Date;
}
