import { jetstreamManager, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { EVENT_SUBJECTS } from './headers.ts';

export const EVENT_STREAM = 'EVENTS';

/** How long an event can be read again. A consumer that is down for longer misses events. */
export const EVENT_RETENTION_MS = 7 * 24 * 3_600_000;

const DUPLICATE_WINDOW_MS = 10 * 60_000;

/** Creates a stream or brings it up to date; safe to repeat, and from several programs at once. */
export async function ensureStream(
  nats: NatsConnection,
  config: Partial<StreamConfig> & { name: string; subjects: string[] },
): Promise<void> {
  const { streams } = await jetstreamManager(nats);
  const exists = await streams.info(config.name).then(
    () => true,
    () => false,
  );
  if (exists) await streams.update(config.name, config);
  else await streams.add(config);
}

/** Creates or updates the stream of all events of all services. */
export async function ensureEventStream(nats: NatsConnection, replicas = 1): Promise<void> {
  await ensureStream(nats, {
    name: EVENT_STREAM,
    subjects: [EVENT_SUBJECTS],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(EVENT_RETENTION_MS),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    num_replicas: replicas,
  });
}
