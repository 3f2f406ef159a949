import { LRUCache } from 'lru-cache';

export interface RecentAnswersOptions {
  /** Asks a service about a host; undefined if the service does not respond. Never rejects. */
  readonly ask: (host: string) => Promise<boolean | undefined>;
  readonly now: () => number;
}

/** Time in milliseconds for which an answer is used, and the maximum number of stored answers. */
const STORED = { ms: 5_000, max: 10_000 };

interface Answer {
  readonly value: boolean;
  readonly until: number;
  /** Number of the latest change before the service was asked. */
  readonly change: number;
}

/** Stores the recent answers of a service about hosts, which visitors can invent. */
export class RecentAnswers {
  readonly #options: RecentAnswersOptions;
  readonly #answers = new LRUCache<string, Answer>({ max: STORED.max });
  #change = 0;

  constructor(options: RecentAnswersOptions) {
    this.#options = options;
  }

  /** Returns the stored answer about a host if it is current. */
  known(host: string): boolean | undefined {
    const answer = this.#answers.get(host);
    const isCurrent = answer?.change === this.#change && this.#options.now() < answer.until;
    return isCurrent ? answer.value : undefined;
  }

  /**
   * Returns the current answer about a host. If the service does not respond, the last answer is used. Undefined if
   * there is none.
   */
  async find(host: string): Promise<boolean | undefined> {
    const known = this.known(host);
    if (known !== undefined) return known;
    const change = this.#change;
    const until = this.#options.now() + STORED.ms;
    const value = await this.#options.ask(host);
    if (value === undefined) return this.#answers.peek(host)?.value;
    this.#answers.set(host, { value, until, change });
    return value;
  }

  /** Makes all stored answers outdated, because a page may have got a host or lost it. */
  markChanged(): void {
    this.#change += 1;
  }
}
