import { fromBinary } from '@bufbuild/protobuf';
import { type JsMsg, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { ServiceError } from '@tocsin/errors';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { backoff, consumeStream, createWakeup, pause, type Runtime } from '@tocsin/runtime';
import { ensureCheckStreams, RESULT_STREAM } from '@tocsin/work-queue';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import { resultsFromProto } from '../wire/check-result.ts';

const DURABLE = 'monitor-results';
const BATCH = 500;
/**
 * Maximum number of unacknowledged messages across all replicas. This number is part of the consumer's configuration.
 * Do not change it, so that an installation can be rolled back to an earlier version.
 */
const MAX_UNACKNOWLEDGED = 10_000;
/** Maximum number of messages in memory that are not recorded yet. A message has up to 100 results. */
const MAX_GATHERED = 1_000;
/** Maximum number of messages that are fetched ahead, in addition to the gathered ones. */
const PREFETCH = 1_000;
const ACK_WAIT_MS = 8_000;
const POLL_MS = 1_000;
/** Maximum time to wait for a message, in milliseconds. Each message ends the wait. */
const IDLE_MS = 60_000;
/** Number of failures after which the halves of a batch are recorded separately. */
const BATCH_TRIES = 3;
/** Number of failures after which a single result is dropped. Between the tries are up to 5 s, 20 s in all. */
const RESULT_TRIES = 10;
/**
 * Maximum time in milliseconds that a passed check waits, so that it is recorded together with later results. Checks
 * that did not pass are recorded at once, because they may change the state of their monitors.
 */
const GATHER_MS = 200;

export interface ResultIntake extends AsyncDisposable {
  /**
   * Returns a time up to which the replicas have recorded all results in the stream, or undefined if no such time is
   * known. While results are recorded, repeated calls return later times, even if new results keep arriving.
   */
  recordedUpTo(): Promise<Date | undefined>;
}

export interface ResultIntakeOptions {
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  readonly now: () => Date;
  /** Records a batch in one transaction. */
  readonly record: (results: readonly CheckResult[]) => Promise<void>;
}

/** A message from the result stream, with the results in it that could be decoded. */
interface TakenResults {
  readonly message: JsMsg;
  readonly results: readonly CheckResult[];
}

/**
 * Consumes the result stream in batches that grow with the load: while one batch is recorded, messages for the next
 * accumulate. A message is acknowledged after `record` has committed; a failed batch is retried until it succeeds.
 */
export function startResultIntake(options: ResultIntakeOptions): ResultIntake {
  return new StreamIntake(options);
}

class StreamIntake implements ResultIntake {
  readonly #options: ResultIntakeOptions;
  readonly #progress: RecordingProgress;
  readonly #gathered: TakenResults[] = [];
  /** Time at which the gathered results are due to be recorded, in milliseconds of `performance.now()`. */
  #dueAt = 0;
  readonly #stop = new AbortController();
  readonly #intake: AsyncDisposable;
  readonly #recording: Promise<void>;
  readonly #wakeup = createWakeup();
  /** Wakes the intake when gathered messages have been removed. */
  readonly #removal = createWakeup();

  constructor(options: ResultIntakeOptions) {
    this.#options = options;
    this.#progress = new RecordingProgress(options);
    this.#intake = consumeStream({
      name: 'taking check results',
      nats: options.nats,
      runtime: options.runtime,
      stream: RESULT_STREAM,
      consumer: { durable_name: DURABLE, ack_wait: nanos(ACK_WAIT_MS), max_ack_pending: MAX_UNACKNOWLEDGED },
      prefetch: PREFETCH,
      prepare: () => ensureCheckStreams(options.nats),
      onMessage: (message) => this.#take(message),
    });
    this.#recording = this.#recordBatches();
  }

  recordedUpTo(): Promise<Date | undefined> {
    return this.#progress.recordedUpTo();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wakeup.ring();
    this.#removal.ring();
    await Promise.all([this.#recording, this.#intake[Symbol.asyncDispose]()]);
    for (const { message } of this.#gathered) message.nak();
  }

  async #take(message: JsMsg): Promise<void> {
    while (this.#gathered.length >= MAX_GATHERED && !this.#stop.signal.aborted) await this.#removal.wait(POLL_MS);
    const results = this.#decode(message);
    const now = performance.now();
    if (this.#gathered.length === 0) this.#dueAt = now + GATHER_MS;
    this.#gathered.push({ message, results });
    const isUrgent = results.some(({ outcome }) => outcome !== 'pass');
    if (isUrgent || this.#gathered.length >= BATCH) this.#dueAt = now;
    this.#wakeup.ring();
  }

  async #recordBatches(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const waitMs = this.#gathered.length === 0 ? IDLE_MS : this.#dueAt - performance.now();
      if (waitMs > 0) await this.#wakeup.wait(waitMs);
      else await this.#recordUntilItWorks(this.#nextBatch());
    }
  }

  /**
   * Removes and returns the first gathered messages, until they contain at least BATCH results or no message is left.
   */
  #nextBatch(): readonly TakenResults[] {
    let results = 0;
    const end = this.#gathered.findIndex((taken) => {
      results += taken.results.length;
      return results >= BATCH;
    });
    const batch = this.#gathered.splice(0, end < 0 ? this.#gathered.length : end + 1);
    this.#removal.ring();
    return batch;
  }

  async #recordUntilItWorks(batch: readonly TakenResults[]): Promise<void> {
    const keepAlive = setInterval(() => {
      for (const { message } of [...batch, ...this.#gathered]) message.working();
    }, ACK_WAIT_MS / 3);
    try {
      const isRecorded = await this.#record(batch.flatMap((taken) => taken.results));
      if (isRecorded) for (const { message } of batch) message.ack();
    } finally {
      clearInterval(keepAlive);
    }
  }

  /**
   * Records results, and retries while the database is unavailable. If results can't be recorded for another reason,
   * their halves are recorded separately, so that one result never prevents the others. A single result that can't be
   * recorded is dropped. Returns false if the intake stops before all results are recorded.
   */
  async #record(results: readonly CheckResult[]): Promise<boolean> {
    const { runtime, record } = this.#options;
    const tries = results.length > 1 ? BATCH_TRIES : RESULT_TRIES;
    for (let attempt = 1, failures = 0; !this.#stop.signal.aborted; attempt += 1) {
      try {
        await record(results);
        return true;
      } catch (error) {
        if (!isUnavailable(error)) failures += 1;
        if (failures >= tries) return this.#recordHalves(results, error);
        runtime.logger.warn({ err: error, results: results.length }, 'results not recorded, to be retried');
        await pause(backoff(attempt), this.#stop.signal);
      }
    }
    return false;
  }

  async #recordHalves(results: readonly CheckResult[], error: unknown): Promise<boolean> {
    if (results.length <= 1) {
      const { monitorId, roundAt, region } = results[0] ?? {};
      const about = { monitor_id: monitorId, round_at: roundAt, region };
      this.#options.runtime.logger.error({ err: error, ...about }, 'a result can not be recorded, dropped');
      return true;
    }
    const middle = Math.ceil(results.length / 2);
    return (await this.#record(results.slice(0, middle))) && this.#record(results.slice(middle));
  }

  #decode(message: JsMsg): CheckResult[] {
    let results: (CheckResult | undefined)[];
    try {
      results = resultsFromProto(fromBinary(CheckResultSchema, message.data));
    } catch {
      // A message that can't be decoded is handled like a result that lacks required fields.
      results = [undefined];
    }
    const { logger } = this.#options.runtime;
    const dropped = results.filter((result) => !result).length;
    if (dropped > 0) logger.error({ sequence: message.seq, dropped }, 'the result stream has invalid results, dropped');
    return results.filter((result) => result !== undefined);
  }
}

/** Whether a failure is not caused by the results. */
function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'unavailable';
}

/** Progress of all replicas in recording the result stream. */
class RecordingProgress {
  readonly #nats: NatsConnection;
  readonly #now: () => Date;
  /** Sequence number of the stream's last message at time `at`. */
  #mark: { readonly at: Date; readonly sequence: number } | undefined;

  constructor({ nats, now }: Pick<ResultIntakeOptions, 'nats' | 'now'>) {
    this.#nats = nats;
    this.#now = now;
  }

  async recordedUpTo(): Promise<Date | undefined> {
    const at = this.#now();
    const { consumers, streams } = await jetstreamManager(this.#nats, { checkAPI: false });
    const { state } = await streams.info(RESULT_STREAM);
    const { num_pending, num_ack_pending, ack_floor } = await consumers.info(RESULT_STREAM, DURABLE);
    if (num_pending + num_ack_pending === 0) {
      this.#mark = undefined;
      return at;
    }
    // Unacknowledged messages of a crashed replica hold back `ack_floor` until another replica has recorded them.
    const mark = this.#mark;
    const reached = mark && ack_floor.stream_seq >= mark.sequence ? mark.at : undefined;
    if (!mark || reached) this.#mark = { at, sequence: state.last_seq };
    return reached;
  }
}
