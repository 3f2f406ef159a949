import type { JsMsg } from '@nats-io/jetstream';
import { backoff, type FairSlots } from '@tocsin/runtime';

/** Maximum size, in bytes, of all waiting messages of a consumer in this process. */
const MAX_BYTES = 16 * 1024 ** 2;

/** Assumed size, in bytes, of a waiting message beside its data. */
const OVERHEAD_BYTES = 2_048;

/** Pause, in milliseconds, before the stream delivers a message again for which there was no room. It grows. */
const FULL_PAUSE_MS = { first: 1_000, max: 10_000 };

interface Entry {
  /** The last delivery of the message. */
  message: JsMsg;
  readonly organization: string;
  readonly bytes: number;
  state: 'waiting' | 'started' | 'returned';
}

/**
 * The messages that a consumer has received in this process. Messages of one aggregate are handled one after the other,
 * in the order in which they were received. Organizations take turns.
 *
 * An organization may have as many bytes as are left for others. One organization alone can therefore use half of the
 * memory, two organizations two thirds, and there is always room for another one. Messages over this limit are returned
 * to the stream, which delivers them again later.
 */
export class EventQueue {
  readonly #handle: (message: JsMsg) => Promise<void>;
  readonly #slots: FairSlots;
  /** Messages by position in the stream and id. Positions alone are not unique, because NATS can lose a stream. */
  readonly #entries = new Map<string, Entry>();
  readonly #bytes = new Map<string, number>();
  #allBytes = 0;
  /** The end of each aggregate's last message. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  readonly #keepAlive: NodeJS.Timeout;
  #isStopped = false;

  /**
   * @param handle Handles and settles a message. Never throws.
   * @param slots Slots in which messages are handled. Consumers may share them.
   * @param ackWaitMs Time after which the stream delivers a message again.
   */
  constructor(handle: (message: JsMsg) => Promise<void>, slots: FairSlots, ackWaitMs: number) {
    this.#handle = handle;
    this.#slots = slots;
    this.#keepAlive = setInterval(() => {
      for (const { message } of this.#entries.values()) message.working();
    }, ackWaitMs / 3);
  }

  /** Number of messages that wait or are being handled. */
  get size(): number {
    return this.#entries.size;
  }

  /** Adds a message, or returns it to the stream if its organization has too many bytes in the queue. */
  add(message: JsMsg): void {
    const key = `${message.seq} ${message.headers?.get('Nats-Msg-Id')}`;
    const known = this.#entries.get(key);
    if (known) {
      // NATS delivered the message again because it received no sign of work on it for too long.
      known.message = message;
      return;
    }
    const organization = message.headers?.get('Tocsin-Organization') ?? '';
    const bytes = message.data.length + OVERHEAD_BYTES;
    const own = (this.#bytes.get(organization) ?? 0) + bytes;
    if (this.#isStopped) {
      message.nak();
      return;
    }
    if (own > MAX_BYTES - this.#allBytes) {
      message.nak(backoff(message.info.deliveryCount, FULL_PAUSE_MS.first, FULL_PAUSE_MS.max));
      return;
    }
    const entry: Entry = { message, organization, bytes, state: 'waiting' };
    this.#entries.set(key, entry);
    this.#bytes.set(organization, own);
    this.#allBytes += bytes;
    this.#schedule(key, entry);
  }

  /** Returns all messages that wait to the stream, which delivers them again at once. */
  returnWaiting(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.state !== 'waiting') continue;
      entry.state = 'returned';
      entry.message.nak();
      this.#remove(key, entry);
    }
  }

  /** Returns all messages that wait to the stream, and waits for those that are being handled. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.returnWaiting();
    await Promise.all(this.#running);
    clearInterval(this.#keepAlive);
  }

  #schedule(key: string, entry: Entry): void {
    const aggregate = entry.message.headers?.get('Tocsin-Aggregate') ?? '';
    const before = this.#ends.get(aggregate) ?? Promise.resolve();
    const end = before.then(() => {
      if (entry.state === 'returned') return;
      return this.#slots.run(entry.organization, () => this.#run(key, entry));
    });
    this.#ends.set(aggregate, end);
    void end.then(() => {
      if (this.#ends.get(aggregate) === end) this.#ends.delete(aggregate);
    });
  }

  async #run(key: string, entry: Entry): Promise<void> {
    if (entry.state === 'returned') return;
    entry.state = 'started';
    const handled = this.#handle(entry.message);
    this.#running.add(handled);
    await handled;
    this.#running.delete(handled);
    this.#remove(key, entry);
  }

  #remove(key: string, { organization, bytes }: Entry): void {
    this.#entries.delete(key);
    this.#allBytes -= bytes;
    const left = (this.#bytes.get(organization) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(organization, left);
    else this.#bytes.delete(organization);
  }
}
