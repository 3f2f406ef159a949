import { fromBinary } from '@bufbuild/protobuf';
import { AckPolicy, type ConsumerMessages, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { backoff, pause, type Runtime, startLoop } from '@tocsin/runtime';
import { RESULT_STREAM } from '@tocsin/work-queue';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import { resultFromProto } from '../wire/monitor.ts';

const DURABLE = 'monitor-results';
const BATCH = 500;
const ACK_WAIT_MS = 8_000;

export interface ResultIntake extends AsyncDisposable {
  /**
   * A moment before which every result in the stream was recorded, by whatever replica; undefined while there is no
   * such moment to tell. To be asked again and again: it moves on as long as results are recorded, however many come.
   */
  heardUpTo(): Promise<Date | undefined>;
}

/**
 * Takes results from the stream in batches that grow with the load: while one batch is being written, the next gathers.
 * A message is acknowledged after `record` committed; a batch that fails is tried again until it works.
 */
export function startResultIntake(
  nats: NatsConnection,
  runtime: Runtime,
  record: (results: readonly CheckResult[]) => Promise<void>,
  now: () => Date,
): ResultIntake {
  const gathered: JsMsg[] = [];
  const stop = new AbortController();
  let wake = () => {};
  let messages: ConsumerMessages | undefined;
  /** The last message that the stream had at a moment. */
  let mark: { readonly at: Date; readonly sequence: number } | undefined;

  const listening = startLoop('taking check results', 250, runtime, async () => {
    const { consumers } = await jetstreamManager(nats);
    await consumers.add(RESULT_STREAM, {
      durable_name: DURABLE,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: BATCH * 20,
    });
    const consumer = await jetstream(nats).consumers.get(RESULT_STREAM, DURABLE);
    messages = await consumer.consume({ max_messages: BATCH * 4 });
    if (stop.signal.aborted) messages.stop();
    for await (const message of messages) {
      gathered.push(message);
      wake();
    }
    return 'done';
  });

  const recording = (async () => {
    while (!stop.signal.aborted) {
      if (gathered.length === 0) {
        const nap = new AbortController();
        wake = () => nap.abort();
        await pause(1_000, AbortSignal.any([nap.signal, stop.signal]));
        continue;
      }
      const batch = gathered.splice(0, BATCH);
      await recordUntilItWorks(batch);
    }
  })();

  async function recordUntilItWorks(batch: readonly JsMsg[]): Promise<void> {
    const results = batch.map(decode).filter((result) => result !== undefined);
    const keepAlive = setInterval(() => {
      for (const message of [...batch, ...gathered]) message.working();
    }, ACK_WAIT_MS / 3);
    try {
      for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
        try {
          await record(results);
          for (const message of batch) message.ack();
          return;
        } catch (error) {
          runtime.logger.warn({ err: error, results: results.length }, 'results not recorded yet, trying again');
          await pause(backoff(attempt), stop.signal);
        }
      }
    } finally {
      clearInterval(keepAlive);
    }
  }

  function decode(message: JsMsg): CheckResult | undefined {
    try {
      const result = resultFromProto(fromBinary(CheckResultSchema, message.data));
      if (result) return result;
    } catch {
      // The same as a message without an identity.
    }
    runtime.logger.error({ sequence: message.seq }, 'a message in the result stream is not a check result, dropped');
    return undefined;
  }

  return {
    async heardUpTo() {
      const at = now();
      const { consumers, streams } = await jetstreamManager(nats);
      const { state } = await streams.info(RESULT_STREAM);
      const {
        num_pending: unread,
        num_ack_pending: inHand,
        ack_floor: floor,
      } = await consumers.info(RESULT_STREAM, DURABLE);
      if (unread + inHand === 0) {
        mark = undefined;
        return at;
      }
      // What a replica that died had in hand holds the floor back until another one has recorded it.
      const reached = mark && floor.stream_seq >= mark.sequence ? mark.at : undefined;
      if (!mark || reached) mark = { at, sequence: state.last_seq };
      return reached;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      messages?.stop();
      wake();
      await Promise.all([recording, listening[Symbol.asyncDispose]()]);
      for (const message of gathered) message.nak();
    },
  };
}
