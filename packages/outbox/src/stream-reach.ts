import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { EVENT_RETENTION_MS, EVENT_STREAM } from './stream.ts';

/** Maximum assumed delay between an event and its publication, for example because of an outage of NATS. */
const PUBLISH_DELAY_MS = 3_600_000;

/** Milliseconds for which the stream's state is cached. */
const FRESH_MS = 10_000;

/**
 * Determines a time before which the event stream contains no events. The stream discards events over its age limit,
 * and its oldest events when it reaches its byte limit.
 */
export class StreamReach {
  readonly #nats: NatsConnection;
  #keptSince = new Date(0);
  /** Time of the last reading, in milliseconds of `performance.now()`. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(nats: NatsConnection) {
    this.#nats = nats;
  }

  /**
   * Returns a time before which the stream contains no events, derived from the age limit and the last known state of
   * the stream. With `exactly`, reads the state of the stream again if the known state is older than FRESH_MS. If that
   * fails, the known state remains in use.
   */
  async keptSince(exactly: boolean): Promise<Date> {
    if (exactly && performance.now() - this.#readAt > FRESH_MS) {
      this.#readAt = performance.now();
      this.#keptSince = (await firstEventTime(this.#nats).catch(() => undefined)) ?? this.#keptSince;
    }
    return new Date(Math.max(this.#keptSince.getTime(), Date.now() - EVENT_RETENTION_MS));
  }
}

/**
 * Returns a time before which the stream contains no events, according to its oldest event; undefined if the stream is
 * empty.
 */
export async function firstEventTime(nats: NatsConnection): Promise<Date | undefined> {
  const { streams } = await jetstreamManager(nats, { checkAPI: false });
  const { first_ts: firstAt, messages } = (await streams.info(EVENT_STREAM)).state;
  return messages > 0 ? new Date(new Date(firstAt).getTime() - PUBLISH_DELAY_MS) : undefined;
}
