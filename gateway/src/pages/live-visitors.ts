import type { ServerResponse } from 'node:http';
import { networkOf } from '@tocsin/text';

/** A visitor who is notified when a page changes. */
export interface LiveVisitor {
  /** Key of the page in the cache. */
  readonly key: string;
  readonly address: string;
  readonly stream: ServerResponse;
  /** ETag of the page's current version. */
  readonly etag: string;
}

const MAX_PER_ADDRESS = 50;

/**
 * Seconds between two heartbeat events to a visitor. A page that receives none for a minute shows that it may be
 * outdated.
 */
const HEARTBEAT_SECONDS = 15;

/**
 * Delay in milliseconds between the end of a stream and the browser's next connection. The delay is random, so that the
 * browsers do not all connect at once.
 */
const RETRY_MS = { min: 1_000, max: 5_000 };

/** A visitor with more unsent bytes is disconnected. */
const MAX_UNSENT_BYTES = 16 * 1024;

/** Number of visitors to whom an event is written before other work can run. */
const BATCH = 500;

/** Notifies visitors of page changes with server-sent events (HTML standard §9.2). */
export class LiveVisitors implements Disposable {
  readonly #max: number;
  readonly #byKey = new Map<string, Set<ServerResponse>>();
  readonly #byAddress = new Map<string, number>();
  /**
   * Visitors with the keys of their pages. The index is the second of the heartbeat interval in which a visitor gets
   * its heartbeat.
   */
  readonly #bySecond = Array.from({ length: HEARTBEAT_SECONDS }, () => new Map<ServerResponse, string>());
  readonly #checkedAt: (key: string) => string | undefined;
  readonly #timer: NodeJS.Timeout;
  #second = 0;
  #count = 0;
  #isClosed = false;

  /**
   * @param max Maximum number of visitors.
   * @param checkedAt Returns the time of the last check that a page shows; heartbeats contain it.
   */
  constructor(max: number, checkedAt: (key: string) => string | undefined = () => undefined) {
    this.#max = max;
    this.#checkedAt = checkedAt;
    this.#timer = setInterval(() => this.#sendHeartbeats(), 1_000);
  }

  get count(): number {
    return this.#count;
  }

  hasSpaceFor(address: string): boolean {
    if (this.#isClosed || this.#count >= this.#max) return false;
    return (this.#byAddress.get(networkOf(address)) ?? 0) < MAX_PER_ADDRESS;
  }

  /** Sends the current ETag and every later one, until the visitor leaves. Then calls `onLeft`. */
  add({ key, address, stream, etag }: LiveVisitor, onLeft: () => void): void {
    const network = networkOf(address);
    const ofPage = this.#byKey.get(key) ?? new Set();
    const ofSecond = this.#bySecond[this.#count % HEARTBEAT_SECONDS];
    this.#byKey.set(key, ofPage.add(stream));
    ofSecond?.set(stream, key);
    this.#byAddress.set(network, (this.#byAddress.get(network) ?? 0) + 1);
    this.#count += 1;
    stream.once('close', () => {
      ofPage.delete(stream);
      if (ofPage.size === 0) this.#byKey.delete(key);
      ofSecond?.delete(stream);
      const left = (this.#byAddress.get(network) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(network);
      else this.#byAddress.set(network, left);
      this.#count -= 1;
      onLeft();
    });
    const retryMs = Math.round(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min));
    stream.write(`retry: ${retryMs}\n${pageEvent(etag)}`);
  }

  /** Sends the new ETag of a page to all of its visitors. */
  send(key: string, etag: string): void {
    void writeAll(this.#byKey.get(key) ?? [], () => pageEvent(etag));
  }

  /** Disconnects all visitors, who then connect to another replica. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const streams of this.#byKey.values()) for (const stream of streams) stream.end();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #sendHeartbeats(): void {
    this.#second = (this.#second + 1) % HEARTBEAT_SECONDS;
    const keys = this.#bySecond[this.#second] ?? new Map<ServerResponse, string>();
    void writeAll(
      keys.keys(),
      (stream) => `event: alive\ndata: ${this.#checkedAt(keys.get(stream) ?? '') ?? 'ok'}\n\n`,
    );
  }
}

function pageEvent(etag: string): string {
  return `event: page\ndata: ${etag}\n\n`;
}

async function writeAll(streams: Iterable<ServerResponse>, textFor: (stream: ServerResponse) => string): Promise<void> {
  let written = 0;
  for (const stream of [...streams]) {
    if (stream.writableLength > MAX_UNSENT_BYTES) stream.destroy();
    else if (!stream.writableEnded) stream.write(textFor(stream));
    written += 1;
    if (written % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
