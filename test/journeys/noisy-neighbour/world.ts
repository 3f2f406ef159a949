import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, createApi } from '../../api.ts';

/** Arguments of an attacker. */
export interface Order {
  readonly attack: string;
  readonly baseUrl: string;
  /** API key with all permissions, of an organization that only this attack uses. */
  readonly apiKey: string;
  /** Domain for which no name server ever responds. */
  readonly silentDomain: string;
  /** Factor for the numbers of monitors, sockets and so on; 1 in the long test. */
  readonly size: number;
}

/** Number of responses by status. `0` is a connection that was closed without a response. */
export type Tally = Record<string, number>;

export function sum(tallies: readonly Tally[]): Tally {
  const total: Tally = {};
  for (const tally of tallies) {
    for (const [status, count] of Object.entries(tally)) total[status] = (total[status] ?? 0) + count;
  }
  return total;
}

/** Environment of an attack: its API client, its resources and the received statuses. */
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

  /** Repeats a call in several concurrent loops until the attack is stopped, and counts the statuses. */
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
        // Pause after a rejection, to leave processor time for the installation on the same machine.
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
