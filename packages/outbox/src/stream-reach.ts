import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { EVENT_RETENTION_MS, EVENT_STREAM } from './stream.ts';

/** How far the oldest event in the stream may have occurred before it was published: a long outage of NATS. */
const PUBLISH_DELAY_MS = 3_600_000;

/** How long what was read of the stream is used again. */
const FRESH_MS = 10_000;

/** How far back the event stream goes, by its age limit and by what its byte limit has discarded. */
export class StreamReach {
  readonly #nats: NatsConnection;
  #keptSince = new Date(0);
  #readAt = 0;

  constructor(nats: NatsConnection) {
    this.#nats = nats;
  }

  /** Returns a moment; events that occurred before it can't be in the stream. Reads the stream if `exactly`. */
  async keptSince(exactly: boolean): Promise<Date> {
    const now = Date.now();
    if (exactly && now - this.#readAt > FRESH_MS) {
      this.#readAt = now;
      const { streams } = await jetstreamManager(this.#nats);
      const { first_ts: firstAt, messages } = (await streams.info(EVENT_STREAM)).state;
      if (messages > 0) this.#keptSince = new Date(new Date(firstAt).getTime() - PUBLISH_DELAY_MS);
    }
    return new Date(Math.max(this.#keptSince.getTime(), now - EVENT_RETENTION_MS));
  }
}
