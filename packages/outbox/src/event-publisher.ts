import { JetStreamApiError, type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { backoff, type Runtime } from '@tocsin/runtime';
import type pg from 'pg';
import type { EventMeta } from './event.ts';
import { eventSubject, headersOf, UNPUBLISHABLE_TYPE } from './headers.ts';
import { insertDeadLetter, type OutboxRow, oldestAt, readBatch } from './outbox-rows.ts';
import { markPublished, type PublishedRow } from './published-events.ts';
import type { RelayMeters } from './relay-metrics.ts';

export interface PublisherOptions {
  readonly client: pg.Client;
  readonly nats: NatsConnection;
  readonly logger: Runtime['logger'];
  readonly meters: RelayMeters;
}

/** Result of publishing a batch. */
export interface BatchOutcome {
  readonly published: number;
  /** Whether more rows can be read immediately. */
  readonly more: boolean;
  /** Milliseconds until a delayed aggregate is due again; undefined if no aggregate is delayed. */
  readonly retryInMs: number | undefined;
  /**
   * The last failure. `everything` is true if more than MAX_DELAYED aggregates are failing. NATS is then assumed to be
   * the cause, and the caller must delay all events.
   */
  readonly failed: { readonly error: Error; readonly everything: boolean } | undefined;
}

interface Delay {
  readonly failures: number;
  readonly until: number;
}

/** Default maximum payload of a NATS server. */
const DEFAULT_MAX_PAYLOAD = 1024 * 1024;
const PUBLISH_TIMEOUT_MS = 5_000;
/** Upper bound for the size of a message's headers. */
const HEADER_BYTES = 2_048;
/** Maximum number of failed aggregates that are delayed individually. If more fail, the cause is assumed to be NATS. */
const MAX_DELAYED = 100;
/** JetStream's error code for a message that is larger than its stream allows. */
const MESSAGE_TOO_LARGE = 10_054;

/**
 * Publishes batches of the outbox. An event that can never be published becomes a dead letter. Any other failure delays
 * only the later events of the same aggregate.
 */
export class EventPublisher {
  readonly #options: PublisherOptions;
  readonly #stream: JetStreamClient;
  readonly #delayed = new Map<string, Delay>();
  /**
   * Id of the server from which the stream was last checked for lost events. Events that another server has stored get
   * no stream sequence, so that they do not hide from the next check that events before them are lost.
   */
  checkedServer: string | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#stream = jetstream(options.nats, { timeout: PUBLISH_TIMEOUT_MS });
  }

  async publishBatch(): Promise<BatchOutcome> {
    const { client, meters } = this.#options;
    const { rows, more } = await readBatch(client, this.#waiting(), this.#maxPayload());
    const oldest = this.#delayed.size > 0 ? await oldestAt(client) : rows[0]?.occurred_at;
    meters.lag.set(oldest ? (Date.now() - oldest.getTime()) / 1000 : 0);
    const done: PublishedRow[] = [];
    let error: Error | undefined;
    // Publish aggregates in parallel, and the events of one aggregate in sequence, so that no event overtakes a failed
    // one.
    const byAggregate = [...Map.groupBy(rows, (row) => row.aggregate_id)];
    await Promise.all(
      byAggregate.map(async ([aggregateId, events]) => {
        try {
          for (const event of events) {
            const sequence = await this.#publishOrBury(event);
            const isChecked = this.#options.nats.info?.server_id === this.checkedServer;
            done.push({ position: event.position, streamSequence: isChecked ? sequence : undefined });
          }
          this.#delayed.delete(aggregateId);
        } catch (cause) {
          error = cause instanceof Error ? cause : new Error(String(cause));
          this.#delay(aggregateId);
        }
      }),
    );
    if (done.length > 0) await markPublished(client, done);
    meters.published.inc(done.length);
    meters.delayed.set(this.#delayed.size);
    const everything = this.#delayed.size > MAX_DELAYED;
    if (everything) this.#delayed.clear();
    return { published: done.length, more, retryInMs: this.#nextRetry(), failed: error && { error, everything } };
  }

  #waiting(): string[] {
    const now = performance.now();
    return [...this.#delayed].filter(([, { until }]) => until > now).map(([aggregateId]) => aggregateId);
  }

  #nextRetry(): number | undefined {
    if (this.#delayed.size === 0) return undefined;
    const times = [...this.#delayed.values()].map(({ until }) => until);
    return Math.max(0, Math.min(...times) - performance.now());
  }

  #delay(aggregateId: string): void {
    const failures = (this.#delayed.get(aggregateId)?.failures ?? 0) + 1;
    this.#delayed.set(aggregateId, { failures, until: performance.now() + backoff(failures) });
    this.#options.meters.failures.inc();
  }

  /** Returns the position in the stream of the event, or of the empty event that replaces it. */
  async #publishOrBury(row: OutboxRow): Promise<number> {
    if (!row.payload) {
      const limit = this.#maxPayload();
      return this.#bury(row, `the event has ${row.bytes} bytes, and NATS accepts at most ${limit} beside the headers`);
    }
    try {
      return await this.#publish(row, row.type, row.payload);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      return this.#bury(row, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
  }

  /**
   * Returns the maximum size of a payload. The relay checks the size of each payload, because the server closes the
   * connection of a client that sends a larger one.
   */
  #maxPayload(): number {
    return (this.#options.nats.info?.max_payload ?? DEFAULT_MAX_PAYLOAD) - HEADER_BYTES;
  }

  /**
   * Copies the event to the dead letters, and publishes an empty event with the same sequence number. Without the empty
   * event, consumers would wait for this number.
   */
  async #bury(row: OutboxRow, error: string): Promise<number> {
    const { client, logger, meters } = this.#options;
    if (await insertDeadLetter(client, row, error)) {
      meters.dead.inc({ type: row.type });
      logger.error(
        { event_id: row.id, type: row.type, organization_id: row.organization_id, aggregate_id: row.aggregate_id },
        `event can't be published, see dead_letter: ${error}`,
      );
    }
    return this.#publish(row, UNPUBLISHABLE_TYPE, new Uint8Array());
  }

  async #publish(row: OutboxRow, type: string, payload: Uint8Array): Promise<number> {
    const meta: EventMeta = {
      id: row.id,
      type,
      organizationId: row.organization_id,
      aggregateId: row.aggregate_id,
      sequence: Number(row.sequence),
      occurredAt: row.occurred_at,
      previousAt: row.previous_at ?? undefined,
    };
    // After a crash between this call and the delete, the event is published again. The stream drops the second copy,
    // because it has the same Nats-Msg-Id.
    const { seq } = await this.#stream.publish(eventSubject(row.type), payload, {
      headers: headersOf(meta, row.trace),
    });
    return seq;
  }
}

/** Returns whether publishing the message can never succeed. */
function isPermanent(error: unknown): boolean {
  if (error instanceof errors.InvalidArgumentError) return true;
  return error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE;
}
