import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { JsMsg } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import type { CheckOutcome } from '@tocsin/enums';
import { type CheckJob, CheckJobSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { backoff, consumeStream, type Runtime } from '@tocsin/runtime';
import { createQueuePublisher, ensureCheckStreams, JOB_STREAM, jobConsumer, jobSubject } from '@tocsin/work-queue';
import { CheckLanes, type LaneItem } from '../app/check-lanes.ts';
import type { Job, Screenshots } from '../app/ports.ts';
import type { CheckRun } from '../app/run-check.ts';
import { encodeResult, type SeenCheck } from '../wire/check-result.ts';
import { JobMessage } from './job-message.ts';
import { ResultSender } from './result-sender.ts';

export interface JobIntakeOptions {
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  readonly region: string;
  /** Maximum number of concurrent checks without a browser. */
  readonly concurrency: number;
  /** Maximum number of concurrent synthetic checks, in addition to checks without a browser. */
  readonly browsers: number;
  /** Maximum number of jobs that wait in this process for a slot. Defaults to WAITING_ROOM. */
  readonly waitingRoom?: number;
  readonly run: (job: Job) => Promise<CheckRun>;
  /** Called with each job that arrives before its round starts. */
  readonly prepare: (job: Job) => void;
  readonly screenshots: Screenshots;
  /** Whether to send results in batches. Defaults to false. */
  readonly batches?: boolean;
  /** Called with the outcome of each job. */
  readonly onEnd: (outcome: CheckOutcome | 'late' | 'gone') => void;
  /** Called when the number of running or waiting jobs changes. */
  readonly onLoad: (load: { readonly running: number; readonly waiting: number }) => void;
}

const ACK_WAIT_MS = 5_000;

/**
 * Maximum number of jobs that wait in this process for a slot; it bounds memory use. All other jobs wait in the stream,
 * which delivers jobs in order and does not serve tenants in turn. The maximum must therefore exceed the number of jobs
 * of one tenant that can be due at the same time.
 */
const WAITING_ROOM = 10_000;

/**
 * Maximum time that a job waits for the start of its round, in milliseconds. It bounds the delay if the clock of this
 * host is behind.
 */
const EARLY_MS = 2_000;

/** Interval at which jobs that have waited too long are ended. */
const LATE_EVERY_MS = 1_000;

const LATE: CheckRun = { kind: 'late' };

/** Maximum number of a region's unacknowledged jobs, across all its checkers. */
const MOST_UNDER_WAY = 20_000;

/** A job, with the message that contained it. */
interface TakenJob extends LaneItem {
  readonly job: Job;
  /** Subject for the result of an on-demand check; empty for a scheduled check. */
  readonly replyTo: string;
  readonly message: JobMessage;
  /** Number of failed attempts in this process. */
  failures: number;
}

/**
 * Consumes the jobs of one region from the stream and runs them in lanes. A message is acknowledged after the results
 * of all its jobs are in the stream. If this checker dies before that, another checker runs the jobs within seconds.
 */
export function startJobIntake(options: JobIntakeOptions): AsyncDisposable {
  return new JobIntake(options);
}

class JobIntake implements AsyncDisposable {
  readonly #options: JobIntakeOptions;
  readonly #results: ResultSender;
  readonly #lanes: CheckLanes<TakenJob>;
  readonly #unsettled = new Set<JobMessage>();
  /** Jobs that wait for the start of their round or for another attempt, with their timers. */
  readonly #later = new Map<TakenJob, NodeJS.Timeout>();
  #isStopping = false;
  readonly #intake: AsyncDisposable;
  readonly #timers: readonly NodeJS.Timeout[];
  #resume = () => {};

  constructor(options: JobIntakeOptions) {
    const { nats, runtime, region, concurrency, browsers, batches = false } = options;
    this.#options = options;
    this.#results = new ResultSender(createQueuePublisher('check results', nats, runtime), { batches });
    this.#lanes = new CheckLanes({
      concurrency,
      browsers,
      work: (taken) => this.#handle(taken),
      onChange: () => this.#reportLoad(),
    });
    this.#timers = [
      setInterval(() => this.#keepAlive(), ACK_WAIT_MS / 3),
      setInterval(() => this.#endLate(), LATE_EVERY_MS),
    ];
    this.#intake = consumeStream({
      name: 'taking check jobs',
      nats,
      runtime,
      stream: JOB_STREAM,
      consumer: {
        durable_name: jobConsumer(region),
        filter_subject: jobSubject(region),
        ack_wait: nanos(ACK_WAIT_MS),
        max_ack_pending: MOST_UNDER_WAY,
      },
      prefetch: concurrency,
      prepare: () => ensureCheckStreams(nats),
      onMessage: (message) => this.#take(message),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    const ended = this.#intake[Symbol.asyncDispose]();
    // Jobs that have not started are returned to the stream, so that another checker runs them.
    for (const timer of this.#later.values()) clearTimeout(timer);
    for (const { message } of [...this.#later.keys(), ...this.#lanes.remove()]) message.release();
    await ended;
    await this.#lanes.idle();
    await this.#results[Symbol.asyncDispose]();
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #take(received: JsMsg): Promise<void> {
    const jobs = this.#decode(received);
    if (!jobs) return;
    const message = new JobMessage(received, jobs.length, () => this.#unsettled.delete(message));
    this.#unsettled.add(message);
    for (const job of jobs) {
      const taken = takenJob(job, message);
      const earlyMs = taken.job.roundAt.getTime() - Date.now();
      if (earlyMs > 0) {
        this.#options.prepare(taken.job);
        this.#addLater(taken, Math.min(earlyMs, EARLY_MS));
      } else {
        this.#lanes.add(taken);
      }
    }
    if (this.#isFull()) await this.#roomToWait();
  }

  #addLater(taken: TakenJob, ms: number): void {
    const timer = setTimeout(() => {
      this.#later.delete(taken);
      this.#lanes.add(taken);
    }, ms);
    this.#later.set(taken, timer);
  }

  #decode(message: JsMsg): readonly CheckJob[] | undefined {
    try {
      const job = fromBinary(CheckJobSchema, message.data);
      return job.batch.length > 0 ? job.batch : [job];
    } catch {
      const { subject } = message;
      this.#options.runtime.logger.error({ subject }, 'a message in the job stream is not a check job, dropped');
      message.term();
      return undefined;
    }
  }

  #isFull(): boolean {
    return this.#lanes.waiting + this.#later.size >= (this.#options.waitingRoom ?? WAITING_ROOM);
  }

  /** Resolves when a waiting job has started or was dropped. */
  #roomToWait(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #reportLoad(): void {
    if (!this.#isFull()) this.#resume();
    const { running, waiting } = this.#lanes;
    this.#options.onLoad({ running, waiting });
  }

  #keepAlive(): void {
    for (const message of this.#unsettled) message.extend();
  }

  /**
   * Ends jobs whose start deadline has passed. Otherwise one tenant's expired jobs would block the waiting room until
   * each of them got a slot.
   */
  #endLate(): void {
    const now = new Date();
    for (const taken of this.#lanes.remove(({ job }) => job.startBefore < now)) void this.#finish(taken, LATE);
  }

  /** Runs a job. The slot of the job is free when the promise resolves, even if the result has not been sent yet. */
  async #handle(taken: TakenJob): Promise<void> {
    try {
      void this.#finish(taken, await this.#options.run(taken.job));
    } catch (error) {
      this.#retry(taken, error);
    }
  }

  /** Sends the result of a job, if it has one, and ends the job. */
  async #finish(taken: TakenJob, ended: CheckRun): Promise<void> {
    try {
      if (ended.kind === 'seen') await this.#sendResult(taken, ended);
      // The round would wait for a result. A repeated job may have a better one, from another checker.
      if (ended.kind === 'late' && !taken.message.isRepeated) await this.#sendResult(taken, lateCheck());
    } catch (error) {
      this.#retry(taken, error);
      return;
    }
    this.#options.onEnd(ended.kind === 'seen' ? ended.observation.outcome : ended.kind);
    taken.message.end();
  }

  #retry(taken: TakenJob, error: unknown): void {
    const { job, message } = taken;
    const { logger } = this.#options.runtime;
    logger.warn({ err: error, monitor_id: job.monitorId }, 'check not run or its result not sent, to be retried');
    if (message.returnAlone()) return;
    // If the message were returned, the other jobs of the message would run again as well.
    taken.failures += 1;
    if (this.#isStopping) message.release();
    else this.#addLater(taken, backoff(taken.failures, 250, 5_000));
  }

  async #sendResult(
    { job: { monitorId, roundAt }, replyTo }: TakenJob,
    { observation, checkedAt, finishedAt }: Pick<SeenCheck, 'observation' | 'checkedAt' | 'finishedAt'>,
  ): Promise<void> {
    const { nats, region } = this.#options;
    const screenshot = observation.run?.screenshot;
    // The screenshot is saved before the result that refers to it. On-demand checks have no screenshot.
    if (screenshot && !replyTo) await this.#saveScreenshot(monitorId, roundAt, screenshot);
    const result = { monitorId, region, roundAt, checkedAt, finishedAt, observation };
    if (replyTo) nats.publish(replyTo, encodeResult(result));
    else await this.#results.send(result);
  }

  async #saveScreenshot(monitorId: string, roundAt: Date, image: Uint8Array): Promise<void> {
    const { runtime, screenshots } = this.#options;
    try {
      await screenshots.keep({ monitorId, roundAt, image });
    } catch (error) {
      // The result is published even if its screenshot can't be saved.
      runtime.logger.warn({ err: error, monitor_id: monitorId }, 'screenshot not saved');
    }
  }
}

/** The result of a check that could not start in time. */
function lateCheck(): Pick<SeenCheck, 'observation' | 'checkedAt' | 'finishedAt'> {
  const now = new Date();
  const error = 'this checker could not start the check in time';
  return { observation: { outcome: 'unknown', error, phases: {} }, checkedAt: now, finishedAt: now };
}

function takenJob(job: CheckJob, message: JobMessage): TakenJob {
  const { monitorId, organizationId, configVersion, checkType, replyTo } = job;
  const roundAt = job.roundAt ? timestampDate(job.roundAt) : new Date(0);
  const startBefore = job.startBefore ? timestampDate(job.startBefore) : roundAt;
  return {
    tenant: organizationId,
    monitorId,
    isSynthetic: checkType === CheckType.SYNTHETIC,
    job: { monitorId, organizationId, configVersion: Number(configVersion), roundAt, startBefore },
    replyTo,
    message,
    failures: 0,
  };
}
