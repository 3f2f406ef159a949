import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AckPolicy, type ConsumerMessages, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { type CheckOutcome, checkOutcomes } from '@tocsin/enums';
import { type CheckJob, CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { backoff, type Runtime, startLoop } from '@tocsin/runtime';
import { createQueuePublisher, JOB_STREAM, jobConsumer, jobSubject, RESULT_SUBJECT } from '@tocsin/work-queue';
import type { Job, Screenshots } from '../app/ports.ts';
import type { CheckRun } from '../app/run-check.ts';
import { createWorkerPool } from '../app/worker-pool.ts';
import type { Certificate } from '../domain/certificate.ts';
import type { Observation } from '../domain/observation.ts';
import type { ScriptRun } from '../domain/script-run.ts';

export interface JobIntakeOptions {
  readonly nats: NatsConnection;
  readonly runtime: Runtime;
  readonly region: string;
  /** How many jobs run at once. */
  readonly concurrency: number;
  /** How many synthetic checks run at once, beside the others: they take long, and must not take the others' places. */
  readonly browsers: number;
  /** How many jobs wait here for their turn; WAITING_ROOM unless given. */
  readonly waitingRoom?: number;
  readonly run: (job: Job) => Promise<CheckRun>;
  readonly screenshots: Screenshots;
  /** Hears how each job ended, and how many run and wait now. */
  readonly onEnd: (outcome: CheckOutcome | 'late' | 'gone') => void;
  readonly onLoad: (load: { readonly running: number; readonly waiting: number }) => void;
}

const ACK_WAIT_MS = 5_000;

/**
 * How many jobs wait here for their turn. What comes beyond it waits in the stream, in the order of coming: a bound of
 * memory, at which turns end. It is more than what one tenant may have due within the time that a job may wait.
 */
const WAITING_ROOM = 10_000;

/** Jobs of a region that all its checkers together may hold. */
const MOST_UNDER_WAY = 20_000;

function toWire({ notBefore, notAfter, ...rest }: Certificate) {
  return { ...rest, notBefore: timestampFromDate(notBefore), notAfter: timestampFromDate(notAfter) };
}

function scriptToWire({ steps, log, location }: ScriptRun) {
  return { steps: [...steps], log: [...log], ...location };
}

/** A job with the message to acknowledge. */
interface TakenJob {
  readonly job: CheckJob;
  readonly message: JsMsg;
}

/**
 * Takes the jobs of one region and runs as many at once as may be, tenant by tenant in turns. Each is answered with a
 * result, and acknowledged when that is in the stream: one whose checker died is run by another within seconds.
 */
export function startJobIntake(options: JobIntakeOptions): AsyncDisposable {
  const { nats, runtime, region, concurrency, browsers, waitingRoom = WAITING_ROOM } = options;
  const { run, screenshots, onEnd, onLoad } = options;
  const queue = createQueuePublisher('check results', nats, runtime);
  const synthetic = createWorkerPool(browsers, handle, reportLoad);
  const others = createWorkerPool(concurrency, handle, reportLoad);
  const waiting = () => synthetic.waiting + others.waiting;
  let goOn = () => {};
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
      max_ack_pending: MOST_UNDER_WAY,
    });
    const consumer = await jetstream(nats).consumers.get(JOB_STREAM, durable);
    messages = await consumer.consume({ max_messages: concurrency });
    if (stopped) messages.stop();
    for await (const message of messages) {
      if (stopped) {
        message.nak();
        continue;
      }
      const job = decode(message);
      if (!job) continue;
      held.add(message);
      const turns = job.checkType === CheckType.SYNTHETIC ? synthetic : others;
      turns.add(job.organizationId, { job, message });
      if (waiting() >= waitingRoom) await room();
    }
    return 'done';
  });

  function decode(message: JsMsg): CheckJob | undefined {
    try {
      return fromBinary(CheckJobSchema, message.data);
    } catch {
      runtime.logger.error({ subject: message.subject }, 'a message in the job stream is not a check job, dropped');
      message.term();
      return undefined;
    }
  }

  /** Until somebody who waits has had a turn: `tellLoad` hears of it. */
  function room(): Promise<void> {
    return new Promise((resolve) => {
      goOn = resolve;
    });
  }

  function reportLoad(): void {
    if (waiting() < waitingRoom) goOn();
    onLoad({ running: synthetic.running + others.running, waiting: waiting() });
  }

  async function handle(taken: TakenJob): Promise<void> {
    await tryToRun(taken);
    held.delete(taken.message);
  }

  async function tryToRun({ job, message }: TakenJob): Promise<void> {
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

  async function keep(monitorId: string, roundAt: Date, image: Uint8Array): Promise<void> {
    try {
      await screenshots.keep({ monitorId, roundAt, image });
    } catch (error) {
      // A result without a picture is better than none.
      runtime.logger.warn({ err: error, monitor_id: monitorId }, 'a screenshot was not kept');
    }
  }

  async function answer(job: CheckJob, roundAt: Date, observation: Observation, checkedAt: Date): Promise<void> {
    const { outcome, error, statusCode = 0, phases, certificate, run: script } = observation;
    // Before the result, which tells that there is one. What is no round is not kept.
    if (script?.screenshot && !job.replyTo) await keep(job.monitorId, roundAt, script.screenshot);
    const result = {
      region,
      outcome: checkOutcomes.toValue(outcome),
      error,
      statusCode,
      phases,
      ...(certificate && { certificate: toWire(certificate) }),
      ...(script && { script: scriptToWire(script) }),
      checkedAt: timestampFromDate(checkedAt),
    };
    const payload = toBinary(
      CheckResultSchema,
      create(CheckResultSchema, { monitorId: job.monitorId, roundAt: timestampFromDate(roundAt), result }),
    );
    if (job.replyTo) nats.publish(job.replyTo, payload);
    else await queue.publish(RESULT_SUBJECT, payload, `${job.monitorId}:${roundAt.getTime()}:${region}`);
  }

  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      messages?.stop();
      // What has not begun is for another checker.
      for (const { message } of [...synthetic.giveBack(), ...others.giveBack()]) {
        held.delete(message);
        message.nak();
      }
      await listening[Symbol.asyncDispose]();
      await Promise.all([synthetic.allEnded(), others.allEnded()]);
      clearInterval(heartbeat);
    },
  };
}
