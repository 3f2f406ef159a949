import type { Database } from '@tocsin/database';
import type { Tables } from './tables.ts';

/** Length of a window in seconds. Windows are aligned to the clock, so that all replicas use the same windows. */
export const WINDOW_SECONDS = 60;
export const DAY_SECONDS = 86_400;

/**
 * Key of a counter. A counter contains the number of requests or bytes of a credential or an organization in one
 * window.
 */
export interface Counter {
  /** Id of the credential or organization. */
  readonly id: string;
  readonly bucket: string;
  /** Start of the window, in milliseconds since the epoch. */
  readonly startsAt: number;
}

export interface RateWindows {
  /** Adds an amount to a counter and returns the new sum. */
  add(counter: Counter, amount: number): Promise<number>;
  /** Returns the sum of a counter. */
  read(counter: Counter): Promise<number>;
  /** Deletes the minute windows that started before a time. */
  deleteMinutesBefore(time: Date): Promise<void>;
  /** Deletes the day windows that started before a time. */
  deleteDaysBefore(time: Date): Promise<void>;
}

/** Suffix of the buckets whose windows last a day. */
const DAILY = '_per_day';

interface Waiting {
  readonly counter: Counter;
  readonly amount: number;
  readonly resolve: (sum: number) => void;
  readonly reject: (error: unknown) => void;
}

export function windowStart(now: Date, seconds: number = WINDOW_SECONDS): number {
  return Math.floor(now.getTime() / 1000 / seconds) * seconds * 1000;
}

/**
 * Counts exactly across all gateways with few queries: requests that arrive while a statement runs share the next
 * statement. Each request gets the sum up to and including its own amount.
 */
export function sharedRateWindows(database: Database): RateWindows {
  let waiting: Waiting[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await addAll(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
    flushing = false;
  }

  async function addAll(batch: readonly Waiting[]): Promise<void> {
    // The rows are sorted, so that replicas don't deadlock.
    const groups = [...Map.groupBy(batch, ({ counter }) => keyOf(counter))].sort(([a], [b]) => (a < b ? -1 : 1));
    const counters = groups.flatMap(([, group]) => group.slice(0, 1).map(({ counter }) => counter));
    const totals = groups.map(([, group]) => group.reduce((sum, { amount }) => sum + amount, 0));
    const rows = await database.count<
      Pick<Tables['rate_window'], 'credential_id' | 'bucket' | 'starts_at' | 'requests'>
    >(
      'every organization',
      `insert into rate_window (credential_id, bucket, starts_at, requests)
       select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[])
       on conflict (credential_id, bucket, starts_at) do update set requests = rate_window.requests + excluded.requests
       returning credential_id, bucket, starts_at, requests`,
      [
        counters.map(({ id }) => id),
        counters.map(({ bucket }) => bucket),
        counters.map(({ startsAt }) => new Date(startsAt)),
        totals,
      ],
    );
    const sums = new Map(
      rows.map((row) => [
        keyOf({ id: row.credential_id, bucket: row.bucket, startsAt: row.starts_at.getTime() }),
        row.requests,
      ]),
    );
    for (const [index, [key, group]] of groups.entries()) {
      let sum = (sums.get(key) ?? 0) - (totals[index] ?? 0);
      for (const { amount, resolve } of group) {
        sum += amount;
        resolve(sum);
      }
    }
  }

  return {
    add(counter, amount) {
      return new Promise((resolve, reject) => {
        waiting.push({ counter, amount, resolve, reject });
        void flush();
      });
    },
    async read({ id, bucket, startsAt }) {
      const [row] = await database.read<{ requests: number }>(
        'every organization',
        'select requests from rate_window where credential_id = $1 and bucket = $2 and starts_at = $3',
        [id, bucket, new Date(startsAt)],
      );
      return row?.requests ?? 0;
    },
    async deleteMinutesBefore(time) {
      await database.transaction('every organization', (tx) =>
        tx.query('delete from rate_window where starts_at < $1 and bucket not like $2', [time, `%${DAILY}`]),
      );
    },
    async deleteDaysBefore(time) {
      await database.transaction('every organization', (tx) =>
        tx.query('delete from rate_window where starts_at < $1 and bucket like $2', [time, `%${DAILY}`]),
      );
    },
  };
}

function keyOf({ id, bucket, startsAt }: Counter): string {
  return `${id} ${bucket} ${startsAt}`;
}
