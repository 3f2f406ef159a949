import { whileLeading } from '@tocsin/database';
import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge } from 'prom-client';
import { findPublicSlug, listPublicPages } from '../storage/page-store.ts';
import type { Deps, SnapshotStore } from './ports.ts';
import { type Snapshot, SnapshotWriter } from './snapshot-writer.ts';

export interface SnapshotOptions {
  readonly store: SnapshotStore;
  /** Renders a public page. */
  readonly render: (slug: string) => Promise<Snapshot | undefined>;
  /** Calls the writer each time a page changes. */
  readonly follow: (writer: SnapshotWriter) => Promise<Disposable>;
}

const LOCK_SQL = `'tocsin_snapshots_' || current_schema()`;

/**
 * Returns a task that writes snapshots of all public pages. It runs until its signal aborts or its connection to the
 * database is lost. Only one replica writes; the others wait.
 */
export function snapshotWork(
  deps: Pick<Deps, 'database' | 'now'>,
  { store, render, follow }: SnapshotOptions,
  { metrics, logger }: Runtime,
): (signal: AbortSignal) => Promise<'done'> {
  const { database, now } = deps;
  let current: SnapshotWriter | undefined;
  const files = new Counter({
    name: 'tocsin_snapshot_files_total',
    help: 'Files of snapshots that were written or deleted, and pages that failed, by result.',
    labelNames: ['result'],
    registers: [metrics],
  });
  new Gauge({
    name: 'tocsin_snapshot_pages_waiting',
    help: 'Public pages whose changes are not in their snapshots.',
    registers: [metrics],
    collect() {
      this.set(current?.waiting ?? 0);
    },
  });
  return async (signal) => {
    await whileLeading({ url: database.url, lockSql: LOCK_SQL, signal }, async (_, ended) => {
      const writer = new SnapshotWriter({
        store,
        now,
        logger,
        listPages: () => database.transaction('every organization', listPublicPages),
        async render(pageId) {
          const slug = await database.transaction('every organization', (tx) => findPublicSlug(tx, pageId));
          return slug === undefined ? undefined : render(slug);
        },
        check: () => database.ping(),
        onFile: (result) => files.inc({ result }),
      });
      current = writer;
      using _following = await follow(writer);
      await writer.run(ended);
    });
    return 'done';
  };
}
