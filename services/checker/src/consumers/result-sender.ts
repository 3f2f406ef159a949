import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { type QueuePublisher, RESULT_SUBJECT } from '@tocsin/work-queue';
import { encodeResults, type SeenCheck } from '../wire/check-result.ts';

/** Settings for grouping results into messages. */
interface Batching {
  /**
   * Maximum time that the result of a passed check waits for other results, in milliseconds. The result of any other
   * check is sent at once, because it may change the state of its monitor.
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

const BATCHES: Batching = { gatherMs: 250, size: 100, underWay: 8 };
const SINGLE: Batching = { gatherMs: 0, size: 1, underWay: 200 };

/** A result with the functions that settle its promise. */
interface WaitingResult extends PromiseWithResolvers<void> {
  readonly result: SeenCheck;
  /** Size of the encoded result. */
  readonly bytes: number;
}

/** Sends results to the stream, in batches if these are enabled. */
export class ResultSender implements AsyncDisposable {
  readonly #queue: QueuePublisher;
  readonly #batching: Batching;
  readonly #waiting: WaitingResult[] = [];
  #waitingBytes = 0;
  readonly #underWay = new Set<Promise<void>>();
  /** Whether the waiting results must be sent as soon as another message may be sent. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(queue: QueuePublisher, { batches }: { readonly batches: boolean }) {
    this.#queue = queue;
    this.#batching = batches ? BATCHES : SINGLE;
  }

  /**
   * Resolves when the stream has stored the result.
   * @throws Error if the stream rejects the result or does not respond. Other results do not cause a rejection.
   */
  send(result: SeenCheck): Promise<void> {
    const bytes = encodeResults([result]).byteLength;
    const waiting = { result, bytes, ...Promise.withResolvers<void>() };
    const { outcome, run } = result.observation;
    // The record of a script run may be large, so a result with such a record is sent alone.
    if (run || bytes > MAX_BATCH_BYTES) this.#start([waiting]);
    else this.#gather(waiting, outcome !== 'pass');
    return waiting.promise;
  }

  /** Sends the waiting results. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#sendDue();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #gather(waiting: WaitingResult, isUrgent: boolean): void {
    const { gatherMs, size } = this.#batching;
    this.#waiting.push(waiting);
    this.#waitingBytes += waiting.bytes;
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
      if (length > 0 && bytes + waiting.bytes > MAX_BATCH_BYTES) break;
      bytes += waiting.bytes;
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
    const results = batch.map(({ result }) => result);
    try {
      await this.#queue.publish(RESULT_SUBJECT, encodeResults(results), idOf(results));
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
}

/** Whether the server or the client refused a message. Otherwise, the server did not respond to any message. */
function isRefusal(error: unknown): boolean {
  return error instanceof JetStreamApiError || error instanceof errors.InvalidArgumentError;
}

/**
 * Returns the message id by which the stream recognizes and drops a repeated result; undefined for a batch. A repeated
 * batch is not dropped, but has no effect.
 */
function idOf([first, ...others]: readonly SeenCheck[]): string | undefined {
  if (!first || others.length > 0) return undefined;
  return `${first.monitorId}:${first.roundAt.getTime()}:${first.region}`;
}
