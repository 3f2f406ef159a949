import type { JsMsg } from '@nats-io/jetstream';
import { backoff } from '@tocsin/runtime';

/**
 * A message from the job stream. The message is acknowledged when all its jobs have ended, and is returned to the
 * stream as soon as one of them has to run on another checker. All its jobs then run again, and their repeated results
 * have no effect.
 */
export class JobMessage {
  readonly #message: JsMsg;
  readonly #onSettled: (message: JobMessage) => void;
  readonly #jobs: number;
  #open: number;
  #isSettled = false;

  /** @param onSettled Called when the message was acknowledged or returned. */
  constructor(message: JsMsg, jobs: number, onSettled: (message: JobMessage) => void) {
    this.#message = message;
    this.#jobs = jobs;
    this.#open = jobs;
    this.#onSettled = onSettled;
  }

  /** Whether the message was delivered before, so that its jobs may have run, or may be running on another checker. */
  get isRepeated(): boolean {
    return this.#message.info.deliveryCount > 1;
  }

  /** Extends the time after which the stream delivers the message again. */
  extend(): void {
    this.#message.working();
  }

  /** Records that a job does not have to run again. */
  end(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#settle(() => this.#message.ack());
  }

  /**
   * Returns the message to the stream after its only job failed, with a delay that grows with each delivery, so that
   * any checker can run the job again. Returns false, and does nothing, if the message has several jobs.
   */
  returnAlone(): boolean {
    if (this.#jobs > 1) return false;
    this.#settle(() => this.#message.nak(backoff(this.#message.info.deliveryCount, 250, 5_000)));
    return true;
  }

  /** Returns the message to the stream, because a job has to run on another checker. */
  release(): void {
    this.#settle(() => this.#message.nak());
  }

  #settle(how: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    how();
    this.#onSettled(this);
  }
}
