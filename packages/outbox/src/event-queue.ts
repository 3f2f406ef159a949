import { setTimeout as sleep } from 'node:timers/promises';
import type { FairSlots } from '@tocsin/runtime';
import { countFitting } from './count-fitting.ts';
import { type ReceivedMessage, tenantOf } from './received-message.ts';

/** Assumed size, in bytes, of a waiting message beside its data. */
const OVERHEAD_BYTES = 2_048;

/** Maximum number of messages that are handled together, and maximum sum of their sizes in bytes. */
const MAX_TOGETHER = { messages: 100, bytes: 1024 ** 2 };

/**
 * Minimum time between the starts of two groups of an organization that are handled together, in milliseconds. The
 * first message after a pause starts at once; under load, later ones gather for this time, or for the longer time after
 * a group of LARGE messages or more. The next group after one with the maximum size starts at once.
 */
const GATHER_MS = { short: 20, long: 50 };
const LARGE = 10;

export interface EventQueueOptions {
  /**
   * Handles and settles messages: one, or several of one organization and of different aggregates that may be handled
   * together. Never throws.
   */
  readonly handle: (messages: readonly ReceivedMessage[]) => Promise<void>;
  /** Returns whether a message may be handled together with others. */
  readonly mayShare: (message: ReceivedMessage) => boolean;
  /** Slots in which messages are handled. Consumers may share them. */
  readonly slots: FairSlots;
  /** Maximum size, in bytes, of all messages in the queue. */
  readonly maxBytes: number;
  /** Time after which the stream delivers a message again. */
  readonly ackWaitMs: number;
  /** Milliseconds for which a message waits before it is handled. Defaults to 0. */
  readonly deferMs?: number;
}

interface Entry {
  readonly key: string;
  /** The last delivery of the message. */
  message: ReceivedMessage;
  readonly organization: string;
  readonly bytes: number;
  state: 'waiting' | 'started' | 'returned';
}

/** An entry that waits to be handled together with others. */
interface Sharing {
  readonly entry: Entry;
  readonly end: () => void;
}

/**
 * The messages that a consumer has received in this process. Messages of one aggregate are handled one after the other,
 * in the order in which they were received. Organizations take turns. Messages of one organization that may share a
 * transaction are handled in groups, one group at a time.
 *
 * An organization may have as many bytes as are left for others. One organization alone can therefore use half of the
 * memory, two organizations two thirds, and there is always room for another one.
 */
export class EventQueue {
  readonly #options: EventQueueOptions;
  /** Messages by position in the stream and id. Positions alone are not unique, because NATS can lose a stream. */
  readonly #entries = new Map<string, Entry>();
  readonly #bytes = new Map<string, number>();
  #allBytes = 0;
  /** The end of each aggregate's last message. */
  readonly #ends = new Map<string, Promise<void>>();
  /** Entries that wait to be handled together, by organization. */
  readonly #sharing = new Map<string, Sharing[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #keepAlive: NodeJS.Timeout;
  #isStopped = false;

  constructor(options: EventQueueOptions) {
    this.#options = options;
    this.#keepAlive = setInterval(() => {
      for (const { message } of this.#entries.values()) message.working();
    }, options.ackWaitMs / 3);
  }

  /** Number of messages that wait or are being handled. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns whether messages of an aggregate wait or are being handled. */
  hasAggregate(id: string): boolean {
    return this.#ends.has(id);
  }

  /**
   * Adds a message, or returns it to the stream if the queue is stopped. Returns false, and does nothing, if its
   * organization has too many bytes in the queue.
   */
  add(message: ReceivedMessage): boolean {
    const key = `${message.seq} ${message.headers?.get('Nats-Msg-Id')}`;
    const known = this.#entries.get(key);
    if (known) {
      // NATS delivered the message again because it received no sign of work on it for too long.
      known.message = message;
      return true;
    }
    const organization = tenantOf(message);
    const bytes = message.data.length + OVERHEAD_BYTES;
    const own = (this.#bytes.get(organization) ?? 0) + bytes;
    if (this.#isStopped) {
      message.nak();
      return true;
    }
    if (own > this.#options.maxBytes - this.#allBytes) return false;
    const entry: Entry = { key, message, organization, bytes, state: 'waiting' };
    this.#entries.set(key, entry);
    this.#bytes.set(organization, own);
    this.#allBytes += bytes;
    this.#schedule(entry);
    return true;
  }

  /** Returns all messages that wait to the stream, which delivers them again at once. */
  returnWaiting(): void {
    for (const entry of this.#entries.values()) {
      if (entry.state !== 'waiting') continue;
      entry.state = 'returned';
      entry.message.nak();
      this.#remove(entry);
    }
  }

  /** Returns all messages that wait to the stream, and waits for those that are being handled. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.returnWaiting();
    await Promise.all(this.#running);
    clearInterval(this.#keepAlive);
  }

  #schedule(entry: Entry): void {
    const aggregate = entry.message.headers?.get('Tocsin-Aggregate') ?? '';
    const before = this.#ends.get(aggregate) ?? Promise.resolve();
    const { deferMs = 0 } = this.#options;
    const isDue = deferMs > 0 ? sleep(deferMs, before) : before;
    const end = isDue.then(() => {
      if (entry.state === 'returned') return;
      if (this.#options.mayShare(entry.message)) return this.#share(entry);
      return this.#options.slots.run(entry.organization, () => this.#run([entry]));
    });
    this.#ends.set(aggregate, end);
    void end.then(() => {
      if (this.#ends.get(aggregate) === end) this.#ends.delete(aggregate);
    });
  }

  /** Handles an entry together with others of its organization. Resolves when it was handled or returned. */
  #share(entry: Entry): Promise<void> {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const waiting = this.#sharing.get(entry.organization);
    if (waiting) waiting.push({ entry, end });
    else {
      const started = [{ entry, end }];
      this.#sharing.set(entry.organization, started);
      void this.#runShared(entry.organization, started);
    }
    return promise;
  }

  /** Handles groups of an organization until none waits. */
  async #runShared(organization: string, waiting: Sharing[]): Promise<void> {
    // A group has different aggregates, because a later message of an aggregate waits for the end of an earlier one.
    while (waiting.length > 0) {
      const beganAt = performance.now();
      const { size, isFull } = await this.#options.slots.run(organization, async () => {
        const group = waiting.splice(
          0,
          countFitting(waiting, ({ entry }) => entry.bytes, MAX_TOGETHER),
        );
        const isFull = waiting.length > 0;
        await this.#run(group.map(({ entry }) => entry));
        for (const { end } of group) end();
        return { size: group.length, isFull };
      });
      const gatherMs = size < LARGE ? GATHER_MS.short : GATHER_MS.long;
      if (!this.#isStopped && !isFull) await sleep(Math.max(0, gatherMs - (performance.now() - beganAt)));
    }
    this.#sharing.delete(organization);
  }

  async #run(entries: readonly Entry[]): Promise<void> {
    const started = entries.filter(({ state }) => state === 'waiting');
    if (started.length === 0) return;
    for (const entry of started) entry.state = 'started';
    const handled = this.#options.handle(started.map(({ message }) => message));
    this.#running.add(handled);
    await handled;
    this.#running.delete(handled);
    for (const entry of started) this.#remove(entry);
  }

  #remove({ key, organization, bytes }: Entry): void {
    this.#entries.delete(key);
    this.#allBytes -= bytes;
    const left = (this.#bytes.get(organization) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(organization, left);
    else this.#bytes.delete(organization);
  }
}
