import type { JsMsg } from '@nats-io/jetstream';

/**
 * Number of returned messages of one organization that the stream delivers again in a second. It is more than a process
 * handles, and few enough to cost little.
 */
const AGAIN_PER_SECOND = 500;

/** Minimum and maximum pause before a message for which there was no room is delivered again, in milliseconds. */
const PAUSE_MS = { min: 1_000, max: 60_000 };

/**
 * Pauses end at multiples of this time, in milliseconds. NATS looks through all unacknowledged messages whenever the
 * pause of one of them ends, so it is many times faster if many pauses end together.
 */
const STEP_MS = 5_000;

/** Time after its pause within which a returned message is delivered again, unless another process gets it. */
const OVERDUE_MS = 10_000;

/** An aggregate of which messages were returned. */
interface Behind {
  /** Number in the aggregate of the first message that is expected again. */
  next: number;
  /** Time after which the message is no longer expected: another process has received it. */
  until: number;
}

/**
 * The messages that a consumer has returned to the stream because there was no room for them. Their number determines
 * the pause until they are delivered again, so that a large backlog is not delivered again and again. The messages of
 * an aggregate that follow a returned one are returned, too, because they could not be handled before it.
 */
export class ReturnedMessages {
  /** Number of messages that are expected again, by organization. */
  readonly #counts = new Map<string, number>();
  readonly #behind = new Map<string, Behind>();
  readonly #now: () => number;

  /** @param now Monotonic clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that the stream has delivered a message, and returns whether an earlier one of its aggregate is expected. */
  noteDelivery(message: JsMsg, organization: string): boolean {
    const count = this.#counts.get(organization);
    if (count !== undefined && message.info.deliveryCount > 1) this.#setCount(organization, count - 1);
    const behind = this.#behind.get(aggregateOf(message));
    return behind !== undefined && this.#now() < behind.until && sequenceOf(message) > behind.next;
  }

  /** Notes that a message is handled here, so that the next one of its aggregate may follow. */
  noteStart(message: JsMsg): void {
    const behind = this.#behind.get(aggregateOf(message));
    if (behind) behind.next = Math.max(behind.next, sequenceOf(message) + 1);
  }

  /** Returns a message to the stream. */
  return(message: JsMsg, organization: string): void {
    const count = (this.#counts.get(organization) ?? 0) + 1;
    this.#setCount(organization, count);
    const now = this.#now();
    const wantedMs = Math.min(PAUSE_MS.max, PAUSE_MS.min + (count * 1_000) / AGAIN_PER_SECOND);
    const pauseMs = Math.ceil(Math.ceil((now + wantedMs) / STEP_MS) * STEP_MS - now);
    message.nak(pauseMs);
    const aggregate = aggregateOf(message);
    const sequence = sequenceOf(message);
    const { next, until } = this.#behind.get(aggregate) ?? { next: sequence, until: 0 };
    const dueAt = now + pauseMs + OVERDUE_MS;
    this.#behind.set(aggregate, { next: Math.min(next, sequence), until: Math.max(until, dueAt) });
  }

  /** Removes messages that are no longer expected. Call this from time to time. */
  removeOverdue(): void {
    const now = this.#now();
    for (const [aggregate, { until }] of this.#behind) if (until <= now) this.#behind.delete(aggregate);
    if (this.#behind.size === 0) this.#counts.clear();
  }

  /** Removes all messages, for example because the stream may have lost them. */
  clear(): void {
    this.#counts.clear();
    this.#behind.clear();
  }

  #setCount(organization: string, count: number): void {
    if (count > 0) this.#counts.set(organization, count);
    else this.#counts.delete(organization);
  }
}

function aggregateOf({ headers }: JsMsg): string {
  return headers?.get('Tocsin-Aggregate') ?? '';
}

/** Returns the number of a message in its aggregate; NaN, which is never greater than another number, without one. */
function sequenceOf({ headers }: JsMsg): number {
  return Number(headers?.get('Tocsin-Sequence') || Number.NaN);
}
