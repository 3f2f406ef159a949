import type { Database } from '@tocsin/database';
import type { Notice } from '../domain/announcement.ts';
import type { DnsRecord } from '../domain/custom-domain.ts';
import type { ShownDisruption } from '../domain/disruption.ts';
import type { LastRound } from '../domain/last-checks.ts';
import type { StatusPage } from '../domain/page.ts';
import type { PublicAddress } from '../domain/public-url.ts';
import type { LastRoundsReader } from './last-rounds.ts';

/** Monitors, owned by the monitor service. */
export interface Monitors {
  /** Returns which of the ids belong to the organization's monitors. */
  existing(organizationId: string, ids: readonly string[]): Promise<string[]>;
  /**
   * Returns the last round of each enabled monitor with one of these ids. The keys are the ids.
   * @throws ServiceError `unavailable`
   */
  lastRounds(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, LastRound>>;
}

/** DNS queries. */
export interface Dns {
  /**
   * Returns the values of a name's records; empty if it has none.
   * @throws ServiceError `unavailable`
   */
  lookup(type: DnsRecord['type'], name: string): Promise<string[]>;
}

/** Images that page owners chose by URL. */
export interface LogoSource {
  /** Fetches a file of at most `maxBytes`. Never rejects. */
  fetch(
    url: string,
    maxBytes: number,
  ): Promise<
    { readonly kind: 'fetched'; readonly content: Buffer } | { readonly kind: 'failed'; readonly error: string }
  >;
}

/** File of a snapshot. */
export interface SnapshotFile {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/** Storage for snapshots, such as a directory or a bucket. Keys are paths with slashes. */
export interface SnapshotStore {
  /** Returns the keys of all files, which may include files that other programs stored. */
  list(): Promise<string[]>;
  /** Writes a file. Readers see either the previous file or the whole new one. */
  write(key: string, file: SnapshotFile): Promise<void>;
  /** Deletes a file. It is not an error if the file does not exist. */
  delete(key: string): Promise<void>;
}

/**
 * Writes the email about a timeline entry, with the texts that the page shows. `url` is the page's URL. Returns
 * undefined if the page does not show the entry.
 */
export type WriteNotice = (
  page: StatusPage,
  url: string,
  entry: { readonly disruption: ShownDisruption; readonly updateId: string },
) => Notice | undefined;

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly monitors: Monitors;
  readonly lastRounds: LastRoundsReader;
  readonly dns: Dns;
  readonly address: PublicAddress;
  readonly writeNotice: WriteNotice;
  readonly now: () => Date;
}
