import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { backoff, pause } from '@tocsin/runtime';
import { type QueuePublisher, RESULT_SUBJECT } from '@tocsin/work-queue';
import { encodeResult, joinResults, type SeenCheck } from '../wire/check-result.ts';

/** Settings for grouping results into messages. */
interface Batching {
  /**
   * Maximum time that a result waits for other results, in milliseconds, if the check and the previous check of its
   * monitor passed. Any other result is sent at once, because it may change the state of its monitor. See START_MS for
   * the first results after a start.
   */
  readonly gatherMs: number;
  /** Maximum number of results in one message. */
  readonly size: number;
  /**
   * Maximum number of messages that the stream has not stored yet. When this number is reached, more results wait and
   * are then sent together.
   */
  readonly underWay: number;
}

/**
 * Maximum size of the results in one message, in bytes. It is far below the maximum of a NATS server, which is 1 MB by
 * default. A result that is larger is sent alone.
 */
const MAX_BATCH_BYTES = 256 * 1024;

/** Default maximum size of all results that the stream has not stored yet, in bytes. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/** Maximum number of remembered monitors; those that were checked longest ago are removed first. */
const MAX_REMEMBERED = 200_000;

/**
 * Time after the start of a sender, in milliseconds, in which a passed check also waits if the previous check of its
 * monitor is unknown. Otherwise, after a restart, the first result of each monitor would be sent and recorded alone,
 * which costs several times the processor time.
 */
const START_MS = 60_000;

/** Minimum and maximum delay before a message is published again, in milliseconds. */
const RETRY_MS = { base: 250, limit: 2_000 };

export interface ResultSenderOptions {
  readonly batches: boolean;
  /** Maximum size of all results that the stream has not stored yet, in bytes. */
  readonly maxKeptBytes?: number;
  /** Defaults to START_MS. */
  readonly startMs?: number;
}

const BATCHES: Batching = { gatherMs: 1_000, size: 100, underWay: 8 };
const SINGLE: Batching = { gatherMs: 0, size: 1, underWay: 200 };

/** A result with the functions that settle its promise. */
interface WaitingResult extends PromiseWithResolvers<void> {
  /** The encoded result. */
  readonly bytes: Uint8Array;
  /** See `idOf`. */
  readonly id: string;
}

/**
 * Sends results to the stream, in batches if these are enabled. Results are kept and published again until the stream
 * has stored them, because their jobs could no longer start in time after an outage of NATS.
 */
export class ResultSender implements AsyncDisposable {
  readonly #queue: QueuePublisher;
  readonly #batching: Batching;
  readonly #maxKeptBytes: number;
  readonly #waiting: WaitingResult[] = [];
  /** Whether the last check of each monitor passed, by monitor id. */
  readonly #lastPassed = new Map<string, boolean>();
  /** End of the time after the start, in milliseconds of `performance.now()`. */
  readonly #startEndsAt: number;
  readonly #stop = new AbortController();
  #keptBytes = 0;
  /** Why the last message was not stored, if the sender has given up. */
  #givenUp: unknown;
  #waitingBytes = 0;
  readonly #underWay = new Set<Promise<void>>();
  /** Whether the waiting results must be sent as soon as another message may be sent. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    queue: QueuePublisher,
    { batches, maxKeptBytes = MAX_KEPT_BYTES, startMs = START_MS }: ResultSenderOptions,
  ) {
    this.#startEndsAt = performance.now() + startMs;
    this.#queue = queue;
    this.#maxKeptBytes = maxKeptBytes;
    this.#batching = batches ? BATCHES : SINGLE;
  }

  /**
   * Resolves when the stream has stored the result.
   * @throws Error if the stream rejects the result, if too many results are not stored yet, or if the stream does not
   * respond while the sender is disposed. Other results do not cause a rejection.
   */
  async send(result: SeenCheck): Promise<void> {
    const bytes = encodeResult(result);
    if (this.#keptBytes + bytes.length > this.#maxKeptBytes) {
      throw new Error(`the stream has not stored results of ${this.#keptBytes} bytes yet, which is the limit`);
    }
    this.#keptBytes += bytes.length;
    try {
      await this.#sendKept(result, bytes);
    } finally {
      this.#keptBytes -= bytes.length;
    }
  }

  #sendKept(result: SeenCheck, bytes: Uint8Array): Promise<void> {
    const waiting = { bytes, id: idOf(result), ...Promise.withResolvers<void>() };
    const mayWait = this.#remember(result);
    // The record of a script run may be large, so a result with such a record is sent alone.
    if (result.observation.run || bytes.length > MAX_BATCH_BYTES) this.#start([waiting]);
    else this.#gather(waiting, !mayWait);
    return waiting.promise;
  }

  /** Remembers whether the check passed. Returns whether it and the previous check of its monitor passed. */
  #remember({ monitorId, observation }: SeenCheck): boolean {
    const passed = observation.outcome === 'pass';
    const passedBefore = this.#lastPassed.get(monitorId) ?? performance.now() < this.#startEndsAt;
    this.#lastPassed.delete(monitorId);
    this.#lastPassed.set(monitorId, passed);
    if (this.#lastPassed.size > MAX_REMEMBERED) this.#lastPassed.delete(this.#lastPassed.keys().next().value ?? '');
    return passed && passedBefore;
  }

  /**
   * Sends the waiting results. From now on, each is published at most once, and none after the stream did not respond.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#sendDue();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #gather(waiting: WaitingResult, isUrgent: boolean): void {
    const { gatherMs, size } = this.#batching;
    this.#waiting.push(waiting);
    this.#waitingBytes += waiting.bytes.length;
    const isFull = this.#waiting.length >= size || this.#waitingBytes >= MAX_BATCH_BYTES;
    if (isUrgent || this.#isDue || isFull) this.#sendDue();
    else this.#timer ??= setTimeout(() => this.#sendDue(), gatherMs);
  }

  #sendDue(): void {
    const { underWay } = this.#batching;
    while (this.#waiting.length > 0 && this.#underWay.size < underWay) this.#start(this.#takeBatch());
    this.#isDue = this.#waiting.length > 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Removes the results of the next message from the waiting results. */
  #takeBatch(): WaitingResult[] {
    let length = 0;
    let bytes = 0;
    for (const waiting of this.#waiting.slice(0, this.#batching.size)) {
      if (length > 0 && bytes + waiting.bytes.length > MAX_BATCH_BYTES) break;
      bytes += waiting.bytes.length;
      length += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, length);
  }

  #start(batch: readonly WaitingResult[]): void {
    const sent = this.#publish(batch).finally(() => {
      this.#underWay.delete(sent);
      if (this.#isDue) this.#sendDue();
    });
    this.#underWay.add(sent);
  }

  async #publish(batch: readonly WaitingResult[]): Promise<void> {
    try {
      await this.#publishUntilStored(batch);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && isRefusal(error)) {
        // One of the results may be the cause. It must not prevent the others, which belong to other tenants.
        await Promise.all(batch.map((waiting) => this.#publish([waiting])));
        return;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  /** @throws Error if the stream refuses the message, or does not respond while the sender is disposed. */
  async #publishUntilStored(batch: readonly WaitingResult[]): Promise<void> {
    const payload = joinResults(batch.map(({ bytes }) => bytes));
    // A repeated batch is not dropped by the stream, but has no effect.
    const id = batch.length === 1 ? batch[0]?.id : undefined;
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#givenUp) throw this.#givenUp;
      try {
        await this.#queue.publish(RESULT_SUBJECT, payload, id);
        return;
      } catch (error) {
        if (isRefusal(error)) throw error;
        if (signal.aborted) {
          this.#givenUp = error;
          throw error;
        }
      }
      await pause(backoff(attempt, RETRY_MS.base, RETRY_MS.limit), signal);
    }
  }
}

/** Whether the server or the client refused a message. Otherwise, the server did not respond to any message. */
function isRefusal(error: unknown): boolean {
  return error instanceof JetStreamApiError || error instanceof errors.InvalidArgumentError;
}

/** Returns the message id by which the stream recognizes and drops a repeated result. */
function idOf({ monitorId, roundAt, region }: SeenCheck): string {
  return `${monitorId}:${roundAt.getTime()}:${region}`;
}
