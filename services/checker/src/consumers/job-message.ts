import type { JsMsg } from '@nats-io/jetstream';
import { backoff } from '@tocsin/runtime';

/**
 * A message from the job stream. The message is acknowledged when all its jobs have ended. If one of the jobs has to
 * run again, the message is returned to the stream. All its jobs then run again, and their repeated results have no
 * effect.
 */
export class JobMessage {
  readonly #message: JsMsg;
  readonly #onSettled: (message: JobMessage) => void;
  #open: number;
  #returnIn: number | undefined;

  /** @param onSettled Called when the message was acknowledged or returned. */
  constructor(message: JsMsg, jobs: number, onSettled: (message: JobMessage) => void) {
    this.#message = message;
    this.#open = jobs;
    this.#onSettled = onSettled;
  }

  /** Extends the time after which the stream delivers the message again. */
  extend(): void {
    this.#message.working();
  }

  /** Records that a job does not have to run again. */
  end(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    if (this.#returnIn === undefined) this.#message.ack();
    else this.#message.nak(this.#returnIn);
    this.#onSettled(this);
  }

  /** Records that a job failed and has to run again, after a delay that grows with each delivery. */
  fail(): void {
    this.#returnIn = backoff(this.#message.info.deliveryCount, 250, 5_000);
    this.end();
  }

  /** Records that a job has to run on another checker. */
  release(): void {
    this.#returnIn ??= 0;
    this.end();
  }
}
