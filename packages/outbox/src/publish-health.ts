import type { Runtime } from '@tocsin/runtime';

/** The service is not ready once messages have been refused for this many milliseconds. */
const REFUSED_LIMIT_MS = 5_000;

/**
 * Readiness check for publishing. A connection to NATS is not sufficient: NATS refuses messages if a disk or stream is
 * full, or if the stream has no leader.
 */
export class PublishHealth {
  readonly #what: string;
  #since: number | undefined;
  #reason = '';

  /**
   * `what` is a plural noun for the messages, such as `events`. It is also the name of the readiness check.
   */
  constructor(what: string, { readiness }: Pick<Runtime, 'readiness'>) {
    this.#what = what;
    readiness.add(what, async () => this.#throwIfRefused());
  }

  /** Call this when a message was accepted, or when another process publishes the messages. */
  accepted(): void {
    this.#since = undefined;
  }

  refused(error: unknown): void {
    this.#since ??= performance.now();
    this.#reason = error instanceof Error ? error.message : String(error);
  }

  #throwIfRefused(): void {
    if (this.#since === undefined || performance.now() - this.#since < REFUSED_LIMIT_MS) return;
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    throw new Error(`${this.#what} can't be published for ${seconds} s: ${this.#reason}`);
  }
}
