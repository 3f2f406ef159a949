import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { ensureStream } from '@tocsin/outbox/stream';
import { CheckJobSchema, CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';

export const JOB_STREAM = 'CHECK_JOBS';
export const RESULT_STREAM = 'CHECK_RESULTS';

/** Returns the subject of a region's jobs. */
export function jobSubject(region: string): string {
  return `job.${CheckJobSchema.typeName}.${region}`;
}

/** Returns the name of the durable consumer that the checkers of a region share. */
export function jobConsumer(region: string): string {
  return `checker-${region}`;
}

export const RESULT_SUBJECT = `result.${CheckResultSchema.typeName}`;

/**
 * Size of each queue in bytes, reserved in the server's store. When a queue is full, its oldest messages are discarded.
 * They are then so old that their checks or results are no longer useful.
 */
const JOB_STREAM_BYTES = 512 * 1024 ** 2;
const RESULT_STREAM_BYTES = 1024 ** 3;

/** Subject prefix for results of on-demand checks, which are sent to `<REPLY_SUBJECT>.<unique>` outside the stream. */
export const REPLY_SUBJECT = 'check-reply';

const MINUTE_MS = 60_000;

/** Creates or updates both queues. Idempotent; several processes may call it concurrently. */
export async function ensureCheckStreams(nats: NatsConnection): Promise<void> {
  const queue = {
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(2 * MINUTE_MS),
  };
  await ensureStream(nats, {
    ...queue,
    name: JOB_STREAM,
    subjects: [jobSubject('*')],
    max_age: nanos(5 * MINUTE_MS),
    max_bytes: JOB_STREAM_BYTES,
  });
  await ensureStream(nats, {
    ...queue,
    name: RESULT_STREAM,
    subjects: [RESULT_SUBJECT],
    max_age: nanos(24 * 60 * MINUTE_MS),
    max_bytes: RESULT_STREAM_BYTES,
  });
}
