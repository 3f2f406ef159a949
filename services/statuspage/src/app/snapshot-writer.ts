import { createHash } from 'node:crypto';
import { backoff, type Logger, pause } from '@tocsin/runtime';
import { ALIVE_FILE, isSnapshotKey, snapshotKey } from '../domain/snapshot-files.ts';
import type { SnapshotFile, SnapshotStore } from './ports.ts';

/** A public page as static files. */
export interface Snapshot {
  readonly slug: string;
  /** Files by their path in the page's folder, in the order in which they are written. */
  readonly files: ReadonlyMap<string, SnapshotFile>;
  /** Milliseconds for which the files stay valid if no data changes. */
  readonly validMs: number;
}

export interface SnapshotWriterOptions {
  readonly store: SnapshotStore;
  /** Renders a page; undefined if the page is not public. */
  readonly render: (pageId: string) => Promise<Snapshot | undefined>;
  /** Returns all public pages. */
  readonly listPages: () => Promise<readonly { readonly id: string; readonly slug: string }[]>;
  /**
   * Checks that page changes can reach the writer.
   * @throws Error if they can not.
   */
  readonly check: () => Promise<void>;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Called after each attempt to write or delete a file. */
  readonly onFile: (result: 'written' | 'deleted' | 'failed') => void;
}

/** Number of pages that are written at the same time. */
const LANES = 4;

/**
 * Maximum number of pages that are written in one batch. Changes that arrive meanwhile are considered after the batch.
 */
const BATCH = 40;

const ALIVE_EVERY_MS = 30_000;
const TICK_MS = 1_000;

/** Milliseconds after which a page with an unwritten change counts as outdated. */
const MAX_DELAY_MS = 60_000;

/** If more pages than this number are outdated, alive.json is not updated. */
const MAX_OUTDATED = 1_000;

const RETRY = { base: 1_000, limit: 60_000 };

interface PageState {
  /** Number of changes, to detect a change while the page is being written. */
  changes: number;
  /** Time of the first unwritten change; undefined if there is none. */
  changedAt: number | undefined;
  /** Time at which the page is due to be written. */
  dueAt: number;
  failures: number;
  isWritten: boolean;
  /**
   * Whether changes may have been missed after the page was last rendered. Its files may be outdated until it is
   * rendered again.
   */
  isUnverified: boolean;
}

/**
 * Writes public pages as static files, and rewrites each page after a change. Only one replica may use it at a time.
 */
export class SnapshotWriter {
  readonly #options: SnapshotWriterOptions;
  readonly #pages = new Map<string, PageState>();
  /** Page to which each file belongs, and hash of the written content. */
  readonly #files = new Map<string, { owner: string; hash: string | undefined }>();
  /** Slugs of the public pages, as they were last listed, by the pages' ids. */
  readonly #slugs = new Map<string, string>();
  /** Files that were in the store at the start and that no page has written since. */
  #strays = new Set<string>();
  #isInformed = true;
  /** Whether changes may have been missed. If so, all pages must be written again. */
  #hasGap = true;
  #aliveAt = 0;
  /** Time of the last iteration, to detect that the clock was set back. */
  #iteratedAt = 0;
  #wake = () => {};

  constructor(options: SnapshotWriterOptions) {
    this.#options = options;
  }

  /** Number of pages with unwritten changes. */
  get waiting(): number {
    return [...this.#pages.values()].filter(({ changedAt }) => changedAt !== undefined).length;
  }

  markChanged(pageId: string): void {
    const now = this.#options.now().getTime();
    const page = this.#pages.get(pageId) ?? {
      changes: 0,
      changedAt: now,
      dueAt: now,
      failures: 0,
      isWritten: false,
      isUnverified: false,
    };
    this.#pages.set(pageId, page);
    page.changes += 1;
    page.changedAt ??= now;
    if (page.failures === 0) page.dueAt = now;
    this.#wake();
  }

  /**
   * Sets whether the writer currently receives page changes. When it receives changes again, it writes all pages,
   * because it may have missed changes.
   */
  setInformed(isInformed: boolean): void {
    this.#isInformed = isInformed;
    this.#hasGap = true;
    this.#wake();
  }

  /**
   * Writes all pages, and then each page after a change, until the signal aborts.
   * @throws Error if the store or the pages can not be listed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#options;
    this.#strays = new Set((await store.list()).filter(isSnapshotKey));
    while (!signal.aborted) {
      this.#correctTimes();
      if (this.#isInformed && this.#hasGap) await this.#markAll();
      const errors = await this.#writeDue(signal);
      errors.push(...(await this.#writeAlive()));
      const [err] = errors;
      if (err) logger.warn({ err, count: errors.length }, 'snapshots can not be written now');
      if (this.#due().length === 0) await this.#sleep(signal);
    }
  }

  /** If the clock was set back, makes all pages and alive.json due, because their stored times may be far ahead. */
  #correctTimes(): void {
    const now = this.#options.now().getTime();
    if (now < this.#iteratedAt) {
      for (const page of this.#pages.values()) {
        page.dueAt = Math.min(page.dueAt, now);
        if (page.changedAt !== undefined) page.changedAt = Math.min(page.changedAt, now);
      }
      this.#aliveAt = 0;
    }
    this.#iteratedAt = now;
  }

  async #markAll(): Promise<void> {
    this.#hasGap = false;
    this.#slugs.clear();
    for (const { id, slug } of await this.#options.listPages()) {
      this.#slugs.set(id, slug);
      this.markChanged(id);
    }
    for (const [id, page] of this.#pages) {
      this.markChanged(id);
      page.isUnverified = true;
    }
  }

  #due(): [string, PageState][] {
    const now = this.#options.now().getTime();
    // Changed pages are written before pages whose validity has ended.
    return [...this.#pages]
      .filter(([, { dueAt }]) => dueAt <= now)
      .sort(([, a], [, b]) => (a.changedAt ?? Infinity) - (b.changedAt ?? Infinity) || a.dueAt - b.dueAt);
  }

  async #writeDue(signal: AbortSignal): Promise<unknown[]> {
    const errors: unknown[] = [];
    const due = this.#due().slice(0, BATCH);
    const lanes = Array.from({ length: LANES }, async () => {
      for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
        const [id, page] = next;
        const { changes } = page;
        try {
          const validMs = await this.#writePage(id);
          page.failures = 0;
          page.isWritten = true;
          if (page.changes !== changes) continue;
          page.changedAt = undefined;
          if (validMs === undefined) this.#pages.delete(id);
          else page.dueAt = this.#options.now().getTime() + validMs;
        } catch (error) {
          errors.push(error);
          this.#options.onFile('failed');
          page.failures += 1;
          page.dueAt = this.#options.now().getTime() + backoff(page.failures, RETRY.base, RETRY.limit);
        } finally {
          page.isUnverified = false;
        }
      }
    });
    await Promise.all(lanes);
    return errors;
  }

  /**
   * Writes the changed files of a page, deletes files that the page no longer has, and returns how long the files are
   * valid.
   */
  async #writePage(id: string): Promise<number | undefined> {
    const snapshot = await this.#options.render(id);
    const keys = new Set<string>();
    for (const [path, file] of snapshot?.files ?? []) {
      const key = snapshotKey(snapshot?.slug ?? '', path);
      keys.add(key);
      await this.#writeFile(key, file, id);
    }
    for (const [key, { owner }] of this.#files) if (owner === id && !keys.has(key)) await this.#deleteFile(key, id);
    return snapshot?.validMs;
  }

  async #writeFile(key: string, file: SnapshotFile, owner: string): Promise<void> {
    const hash = createHash('sha256').update(file.contentType).update(file.body).digest('base64');
    const before = this.#files.get(key);
    this.#strays.delete(key);
    this.#files.set(key, { owner, hash: before?.hash });
    if (before?.hash === hash) return;
    this.#files.set(key, { owner, hash: undefined });
    await this.#options.store.write(key, file);
    this.#files.set(key, { owner, hash });
    this.#options.onFile('written');
  }

  async #deleteFile(key: string, owner: string): Promise<void> {
    await this.#options.store.delete(key);
    this.#options.onFile('deleted');
    const after = this.#files.get(key);
    if (after?.owner === owner) this.#files.delete(key);
    else if (after) {
      // Another page got this slug during the deletion. The file of that page may have been deleted, so the page is
      // written again.
      this.#files.set(key, { owner: after.owner, hash: undefined });
      this.markChanged(after.owner);
    }
  }

  /**
   * Deletes the files that were in the store at the start and that no page has written since, except those of pages
   * that could not be written yet. Writes alive.json with the current time and the ids of the outdated pages. Does
   * nothing if the last write is recent, or if the outdated pages are unknown or more than MAX_OUTDATED. Returns the
   * errors.
   */
  async #writeAlive(): Promise<unknown[]> {
    const { store, now, check } = this.#options;
    const at = now();
    if (at.getTime() - this.#aliveAt < ALIVE_EVERY_MS) return [];
    const outdated = this.#outdated(at.getTime());
    if (!outdated) return [];
    try {
      await check();
      const unwritten = new Set(
        [...this.#pages].filter(([, page]) => !page.isWritten).map(([id]) => this.#slugs.get(id)),
      );
      for (const key of this.#strays) {
        if (unwritten.has(key.slice(0, key.indexOf('/')))) continue;
        await store.delete(key);
        this.#strays.delete(key);
        this.#options.onFile('deleted');
      }
      const body = JSON.stringify({ at: at.toISOString(), outdated });
      await store.write(ALIVE_FILE, { contentType: 'application/json; charset=utf-8', body });
      this.#aliveAt = at.getTime();
      return [];
    } catch (error) {
      this.#options.onFile('failed');
      return [error];
    }
  }

  /** Returns the ids of the outdated pages; undefined if they are unknown or more than MAX_OUTDATED. */
  #outdated(now: number): string[] | undefined {
    if (!this.#isInformed || this.#hasGap) return undefined;
    const pages = [...this.#pages];
    if (pages.some(([, { isUnverified }]) => isUnverified)) return undefined;
    const isOutdated = ({ isWritten, failures, changedAt, dueAt }: PageState) =>
      (!isWritten && failures > 0) || now - (changedAt ?? dueAt) >= MAX_DELAY_MS;
    const ids = pages.filter(([, page]) => isOutdated(page)).map(([id]) => id);
    return ids.length > MAX_OUTDATED ? undefined : ids;
  }

  async #sleep(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await pause(TICK_MS, AbortSignal.any([signal, woken.signal]));
  }
}
