import type { Database } from '@tocsin/database';

/** Length of a window. All replicas use the same windows: those of the clock. */
export const WINDOW_SECONDS = 60;

export interface RateWindows {
  /** Counts one request and answers the how-manieth of its window it is. */
  count(credentialId: string, bucket: string, now: Date): Promise<number>;
  /** Forgets windows that are over. */
  forgetBefore(time: Date): Promise<void>;
}

interface Waiting {
  readonly credentialId: string;
  readonly bucket: string;
  readonly startsAt: number;
  readonly resolve: (ordinal: number) => void;
  readonly reject: (error: unknown) => void;
}

export function windowStart(now: Date): number {
  return Math.floor(now.getTime() / 1000 / WINDOW_SECONDS) * WINDOW_SECONDS * 1000;
}

/**
 * Exact counts over any number of gateways with few queries: while one statement is on its way, requests gather for the
 * next, and each learns its own place in the sum.
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
      await countAll(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
    flushing = false;
  }

  async function countAll(batch: readonly Waiting[]): Promise<void> {
    const groups = [...Map.groupBy(batch, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
    const first = groups.flatMap((group) => group.slice(0, 1));
    const rows = await database.transaction('every organization', (tx) =>
      tx.query<{ credential_id: string; bucket: string; starts_at: Date; requests: number }>(
        `insert into rate_window (credential_id, bucket, starts_at, requests)
         select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::integer[])
         on conflict (credential_id, bucket, starts_at) do update set requests = rate_window.requests + excluded.requests
         returning credential_id, bucket, starts_at, requests`,
        [
          first.map(({ credentialId }) => credentialId),
          first.map(({ bucket }) => bucket),
          first.map(({ startsAt }) => new Date(startsAt)),
          groups.map((group) => group.length),
        ],
      ),
    );
    const sums = new Map(
      rows.map((row) => [
        keyOf({ credentialId: row.credential_id, bucket: row.bucket, startsAt: row.starts_at.getTime() }),
        row.requests,
      ]),
    );
    for (const group of groups) {
      const [any] = group;
      const sum = any ? (sums.get(keyOf(any)) ?? 0) : 0;
      for (const [index, { resolve }] of group.entries()) resolve(sum - group.length + index + 1);
    }
  }

  return {
    count(credentialId, bucket, now) {
      return new Promise((resolve, reject) => {
        waiting.push({ credentialId, bucket, startsAt: windowStart(now), resolve, reject });
        void flush();
      });
    },
    async forgetBefore(time) {
      await database.transaction('every organization', (tx) =>
        tx.query('delete from rate_window where starts_at < $1', [time]),
      );
    },
  };
}

function keyOf({ credentialId, bucket, startsAt }: Pick<Waiting, 'credentialId' | 'bucket' | 'startsAt'>): string {
  return `${credentialId} ${bucket} ${startsAt}`;
}
