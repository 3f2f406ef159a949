import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, createApi } from '../../api.ts';

/** What an attacker is started with. */
export interface Order {
  readonly attack: string;
  readonly baseUrl: string;
  /** A key with all permissions of an organization that only this attack uses. */
  readonly apiKey: string;
  /** A domain below which no name server ever answers. */
  readonly silentDomain: string;
  /** How many monitors, sockets and the like an attack begins with: 1 is the size that the audit used. */
  readonly size: number;
}

/** How often a request of an attack got each status; `0` is a connection that was closed without one. */
export type Tally = Record<string, number>;

/** What an attack acts on, and how it reports. */
export class World implements AsyncDisposable {
  readonly order: Order;
  readonly api: Api;
  readonly tally: Tally = {};
  readonly stack = new AsyncDisposableStack();
  readonly #stop = new AbortController();

  constructor(order: Order) {
    this.order = order;
    this.api = createApi(order.baseUrl, order.apiKey);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  count(status: number): void {
    this.tally[status] = (this.tally[status] ?? 0) + 1;
  }

  /** Repeats a call in several loops until the attack is stopped, and counts the statuses. */
  async repeat(loops: number, call: (turn: number) => Promise<{ readonly status: number }>): Promise<void> {
    let turn = 0;
    const loop = async () => {
      while (!this.signal.aborted) {
        turn += 1;
        const status = await call(turn).then(
          (response) => response.status,
          () => 0,
        );
        if (this.signal.aborted) return;
        this.count(status);
        // A refused attacker tries again soon, but doesn't use up the machine that it shares with the installation.
        if (status === 0 || status === 429) await sleep(REFUSED_PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  stop(): void {
    this.#stop.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.stack.disposeAsync();
  }
}

const REFUSED_PAUSE_MS = 50;
