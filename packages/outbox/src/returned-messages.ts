import type { JsMsg } from '@nats-io/jetstream';

/**
 * Number of returned messages of one organization that the stream delivers again in a second. It is about as many as a
 * process handles. More would delay the events of others, because the stream delivers them before new messages.
 */
const AGAIN_PER_SECOND = 250;

/** Minimum and maximum pause before a message for which there was no room is delivered again, in milliseconds. */
const PAUSE_MS = { min: 1_000, max: 300_000 };

/**
 * Pauses end at multiples of this time, in milliseconds. NATS looks through all unacknowledged messages whenever the
 * pause of one of them ends, so it is many times faster if many pauses end together.
 */
const STEP_MS = 2_000;

/** Maximum time by which a message may come before the end of its pause, in milliseconds. */
const EARLY_MS = 50;

/** An aggregate of which messages were returned. */
interface Behind {
  /** Number in the aggregate of the first returned message. */
  readonly first: number;
  /** Time at which its pause ends. */
  readonly dueAt: number;
}

/**
 * The messages that a consumer has returned to the stream because there was no room for them. Their number determines
 * the pause until they are delivered again, so that a large backlog is not delivered again and again. The messages of
 * an aggregate that follow a returned one could not be handled before it. They are returned with the rest of its pause,
 * because the stream delivers messages whose pauses end together in their order.
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

  /** Notes that the stream has delivered a message, perhaps again. */
  noteDelivery({ info }: JsMsg, organization: string): void {
    const count = this.#counts.get(organization);
    if (count !== undefined && info.deliveryCount > 1) this.#setCount(organization, count - 1);
  }

  /** Returns whether an earlier message of the same aggregate waits in the stream. */
  isBehind(message: JsMsg): boolean {
    return this.#aheadOf(message) !== undefined;
  }

  /** Returns a message to the stream. */
  return(message: JsMsg, organization: string): void {
    const count = (this.#counts.get(organization) ?? 0) + 1;
    this.#setCount(organization, count);
    const now = this.#now();
    const ahead = this.#aheadOf(message);
    if (ahead) {
      message.nak(Math.ceil(ahead.dueAt - now));
      return;
    }
    const wantedMs = Math.min(PAUSE_MS.max, PAUSE_MS.min + (count * 1_000) / AGAIN_PER_SECOND);
    const dueAt = Math.ceil((now + wantedMs) / STEP_MS) * STEP_MS;
    message.nak(Math.ceil(dueAt - now));
    this.#behind.set(aggregateOf(message), { first: sequenceOf(message), dueAt });
  }

  /** Removes messages whose pauses have ended. Call this from time to time. */
  removeEnded(): void {
    const now = this.#now();
    for (const [aggregate, { dueAt }] of this.#behind) if (dueAt <= now) this.#behind.delete(aggregate);
    if (this.#behind.size === 0) this.#counts.clear();
  }

  /** Removes all messages, for example because the stream may have lost them. */
  clear(): void {
    this.#counts.clear();
    this.#behind.clear();
  }

  #aheadOf(message: JsMsg): Behind | undefined {
    const behind = this.#behind.get(aggregateOf(message));
    const isAhead = behind !== undefined && behind.first < sequenceOf(message) && this.#now() < behind.dueAt - EARLY_MS;
    return isAhead ? behind : undefined;
  }

  #setCount(organization: string, count: number): void {
    if (count > 0) this.#counts.set(organization, count);
    else this.#counts.delete(organization);
  }
}

function aggregateOf({ headers }: JsMsg): string {
  return headers?.get('Tocsin-Aggregate') ?? '';
}

/** Returns the number of a message in its aggregate; NaN without one, which is neither before nor after another. */
function sequenceOf({ headers }: JsMsg): number {
  return Number(headers?.get('Tocsin-Sequence') || Number.NaN);
}
