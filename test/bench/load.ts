import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** A request that is sent repeatedly. */
export interface Shot {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the body of the request with the given number. */
  readonly body?: (index: number) => string;
  /** Number of concurrent requests. Defaults to 32. */
  readonly connections?: number;
  /** Requests per second. By default, the next request follows each response immediately. */
  readonly perSecond?: number;
}

export interface Figures {
  /** Number of requests that got a response. */
  readonly count: number;
  readonly perSecond: number;
  /** Latency in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const CONNECTIONS = 32;

/**
 * Sends requests over several connections for a number of seconds. The latency of a request does not include the time
 * in which its body is created. If a request is due while all connections are busy, its waiting time is part of its
 * latency. Throws if a request fails.
 */
export async function fire(origin: string, shot: Shot, seconds: number): Promise<Figures> {
  const { connections = CONNECTIONS, perSecond } = shot;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const times: number[] = [];
  let shots = 0;
  const began = performance.now();
  const until = began + seconds * 1000;

  async function shooter(): Promise<void> {
    for (;;) {
      shots += 1;
      const index = shots;
      const { method, path, headers, body } = shot;
      const sent = body?.(index);
      const start = perSecond ? began + (index * 1000) / perSecond : performance.now();
      if (start >= until) return;
      if (start > performance.now()) await sleep(start - performance.now());
      const response = await pool.request({
        method,
        path,
        headers: { ...headers },
        ...(sent !== undefined && { body: sent }),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`);
      times.push(performance.now() - start);
    }
  }

  await Promise.all(Array.from({ length: connections }, shooter));
  const elapsed = (performance.now() - began) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0;
  return { count: times.length, perSecond: times.length / elapsed, p50: quantile(0.5), p99: quantile(0.99) };
}
