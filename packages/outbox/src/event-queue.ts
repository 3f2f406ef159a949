import type { JsMsg } from '@nats-io/jetstream';
import { contextFromHeaders, createWakeup, FairSlots, inSpan, SpanKind } from '@tocsin/runtime';
import { type Delivery, deliver } from './deliver.ts';

/** Maximum number of events that a consumer handles concurrently in one process. */
const SLOTS = 8;

/** Maximum number of them of one organization. They may all wait for one lock. */
const SLOTS_PER_ORGANIZATION = 4;

/** Size of the received messages, in bytes, above which no other message is received. */
const MAX_BYTES = 32 * 1024 ** 2;

const ROOM_CHECK_MS = 1_000;

/**
 * The messages that a consumer has received in this process. Messages of one aggregate are handled one after the other,
 * in the order in which they were received. Organizations take turns.
 */
export class EventQueue {
  readonly #delivery: Delivery;
  readonly #slots = new FairSlots({
    slots: SLOTS,
    perTenant: SLOTS_PER_ORGANIZATION,
    // The consumer limits the number of unacknowledged messages.
    waitingPerTenant: Number.POSITIVE_INFINITY,
    waiting: Number.POSITIVE_INFINITY,
  });
  readonly #received = new Set<JsMsg>();
  /** The end of each aggregate's last message. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #keepAlive: NodeJS.Timeout;
  readonly #room = createWakeup();
  #bytes = 0;
  #isStopped = false;

  /** @param ackWaitMs Time after which the stream delivers a message again. */
  constructor(delivery: Delivery, ackWaitMs: number) {
    this.#delivery = delivery;
    this.#keepAlive = setInterval(() => {
      for (const message of this.#received) message.working();
    }, ackWaitMs / 3);
  }

  /** Adds a message. Waits while the received messages are too large together. Never throws. */
  async add(message: JsMsg): Promise<void> {
    const aggregate = message.headers?.get('Tocsin-Aggregate') ?? '';
    const organization = message.headers?.get('Tocsin-Organization') ?? '';
    this.#received.add(message);
    this.#bytes += message.data.length;
    const before = this.#ends.get(aggregate) ?? Promise.resolve();
    const end = before.then(() => this.#slots.run(organization, () => this.#handle(message)));
    this.#ends.set(aggregate, end);
    void end.then(() => {
      if (this.#ends.get(aggregate) === end) this.#ends.delete(aggregate);
    });
    while (this.#bytes > MAX_BYTES) await this.#room.wait(ROOM_CHECK_MS);
  }

  /** Waits for running handlers, and returns the other messages to the stream. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#ends.size > 0) await Promise.all(this.#ends.values());
    clearInterval(this.#keepAlive);
  }

  async #handle(message: JsMsg): Promise<void> {
    if (this.#isStopped) message.nak();
    else {
      const remote = contextFromHeaders({ traceparent: message.headers?.get('traceparent') });
      await inSpan(`consume ${message.subject}`, SpanKind.CONSUMER, remote, () => deliver(message, this.#delivery));
    }
    this.#received.delete(message);
    this.#bytes -= message.data.length;
    this.#room.ring();
  }
}
