import type { Database } from '@tocsin/database';
import type { DnsRecord } from '../domain/custom-domain.ts';
import type { PublicAddress } from '../domain/public-url.ts';

/** Monitors, owned by the monitor service. */
export interface Monitors {
  /** Returns those of the ids that belong to monitors of the organization. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
}

/** DNS queries. */
export interface Dns {
  /**
   * Returns the values of a name's records; empty if it has none.
   * @throws ServiceError `unavailable`
   */
  lookup(type: DnsRecord['type'], name: string): Promise<string[]>;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly monitors: Monitors;
  readonly dns: Dns;
  readonly address: PublicAddress;
  readonly now: () => Date;
}
