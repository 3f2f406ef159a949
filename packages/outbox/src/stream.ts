import { isDeepStrictEqual } from 'node:util';
import { DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { EVENT_SUBJECTS } from './headers.ts';

export const EVENT_STREAM = 'EVENTS';

/** Retention time of events. A consumer that is down for longer misses events. */
export const EVENT_RETENTION_MS = 7 * 24 * 3_600_000;

/**
 * Maximum size of the stream, in bytes. The server reserves this size for the stream, so that events never use the
 * space that check jobs and results need. When the stream is full, the oldest events are discarded.
 */
const EVENT_STREAM_BYTES = 4 * 1024 ** 3;

const DUPLICATE_WINDOW_MS = 10 * 60_000;

/**
 * Creates or updates a stream, but keeps a byte limit and a number of replicas that an operator has set. Idempotent,
 * and safe to run concurrently.
 */
export async function ensureStream(
  nats: NatsConnection,
  config: Partial<StreamConfig> & { name: string; subjects: string[] },
): Promise<void> {
  const { streams } = await jetstreamManager(nats);
  const existing = await streams.info(config.name).catch(() => undefined);
  if (!existing) {
    await streams.add(config);
    return;
  }
  const wanted = { ...config, ...keptSettings(existing.config, config) };
  // After an update, NATS 2.9 stores the time of its own start as the time at which the stream was created. With an
  // update at every start, the relay would take every restart of NATS for the loss of the stream.
  if (!hasSettings(existing.config, wanted)) await streams.update(config.name, wanted);
}

function hasSettings(existing: StreamConfig, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual(existing[name as keyof StreamConfig], value),
  );
}

/** Returns the settings of an existing stream that an operator may have changed, and that are kept. */
export function keptSettings(
  existing: Pick<StreamConfig, 'max_bytes' | 'num_replicas'>,
  { num_replicas = 1 }: Partial<StreamConfig>,
): Partial<StreamConfig> {
  return {
    ...(existing.max_bytes > 0 && { max_bytes: existing.max_bytes }),
    num_replicas: Math.max(existing.num_replicas, num_replicas),
  };
}

/** Creates or updates the stream for the events of all services. */
export async function ensureEventStream(nats: NatsConnection, replicas = 1): Promise<void> {
  await ensureStream(nats, {
    name: EVENT_STREAM,
    subjects: [EVENT_SUBJECTS],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(EVENT_RETENTION_MS),
    max_bytes: EVENT_STREAM_BYTES,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    num_replicas: replicas,
  });
}
