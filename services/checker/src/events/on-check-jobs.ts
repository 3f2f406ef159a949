import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AckPolicy, type ConsumerMessages, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { JOB_STREAM, jobConsumer, jobSubject, RESULT_SUBJECT } from '@tocsin/check-queue';
import { type CheckJob, CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { backoff, type Runtime, startLoop } from '@tocsin/runtime';
import type { Job } from '../app/ports.ts';
import type { CheckRun } from '../app/run-check.ts';
import type { Observation, Outcome } from '../domain/observation.ts';

export interface JobIntakeOptions {
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  readonly region: string;
  /** How many jobs run at once. */
  readonly concurrency: number;
  readonly run: (job: Job) => Promise<CheckRun>;
  /** Hears how each job ended and how many run now. */
  readonly onEnd: (outcome: Outcome | 'late' | 'gone') => void;
  readonly onRunning: (count: number) => void;
}

const ACK_WAIT_MS = 5_000;
const PUBLISH_TIMEOUT_MS = 5_000;

const OUTCOME: Record<Outcome, CheckOutcome> = {
  pass: CheckOutcome.PASS,
  fail: CheckOutcome.FAIL,
  error: CheckOutcome.ERROR,
  timeout: CheckOutcome.TIMEOUT,
  unknown: CheckOutcome.UNKNOWN,
};

/**
 * Takes the jobs of one region, as many as may run at once, and answers each with a result. A job is acknowledged when
 * its result is in the stream: one whose checker died is run by another within seconds.
 */
export function startJobIntake(options: JobIntakeOptions): AsyncDisposable {
  const { nats, runtime, region, concurrency, run, onEnd, onRunning } = options;
  const stream = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS });
  const running = new Set<Promise<void>>();
  const held = new Set<JsMsg>();
  let stopped = false;
  let messages: ConsumerMessages | undefined;
  const durable = jobConsumer(region);

  const heartbeat = setInterval(() => {
    for (const message of held) message.working();
  }, ACK_WAIT_MS / 3);

  const listening = startLoop('taking check jobs', 250, runtime, async () => {
    const { consumers } = await jetstreamManager(nats);
    await consumers.add(JOB_STREAM, {
      durable_name: durable,
      filter_subject: jobSubject(region),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: 20_000,
    });
    const consumer = await jetstream(nats).consumers.get(JOB_STREAM, durable);
    messages = await consumer.consume({ max_messages: concurrency });
    if (stopped) messages.stop();
    for await (const message of messages) {
      while (running.size >= concurrency) await Promise.race(running);
      const work = handle(message).finally(() => {
        running.delete(work);
        held.delete(message);
        onRunning(running.size);
      });
      held.add(message);
      running.add(work);
      onRunning(running.size);
    }
    return 'done';
  });

  async function handle(message: JsMsg): Promise<void> {
    let job: CheckJob;
    try {
      job = fromBinary(CheckJobSchema, message.data);
    } catch {
      runtime.logger.error({ subject: message.subject }, 'a message in the job stream is not a check job, dropped');
      return message.term();
    }
    const roundAt = job.roundAt ? timestampDate(job.roundAt) : new Date(0);
    const startBefore = job.startBefore ? timestampDate(job.startBefore) : roundAt;
    try {
      const seen = await run({
        monitorId: job.monitorId,
        configVersion: Number(job.configVersion),
        roundAt,
        startBefore,
      });
      if (seen.kind === 'seen') await answer(job, roundAt, seen.observation, seen.checkedAt);
      onEnd(seen.kind === 'seen' ? seen.observation.outcome : seen.kind);
      message.ack();
    } catch (error) {
      runtime.logger.warn({ err: error, monitor_id: job.monitorId }, 'check not run, trying again');
      message.nak(backoff(message.info.deliveryCount, 250, 5_000));
    }
  }

  async function answer(job: CheckJob, roundAt: Date, observation: Observation, checkedAt: Date): Promise<void> {
    const { outcome, error, statusCode = 0, phases } = observation;
    const result = {
      region,
      outcome: OUTCOME[outcome],
      error,
      statusCode,
      phases,
      checkedAt: timestampFromDate(checkedAt),
    };
    const payload = toBinary(
      CheckResultSchema,
      create(CheckResultSchema, { monitorId: job.monitorId, roundAt: timestampFromDate(roundAt), result }),
    );
    if (job.replyTo) nats.publish(job.replyTo, payload);
    else await stream.publish(RESULT_SUBJECT, payload, { msgID: `${job.monitorId}:${roundAt.getTime()}:${region}` });
  }

  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      messages?.stop();
      await listening[Symbol.asyncDispose]();
      await Promise.all(running);
      clearInterval(heartbeat);
    },
  };
}
