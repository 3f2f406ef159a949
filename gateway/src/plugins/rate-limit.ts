import type { LimitName } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../clients/credentials.ts';
import { type Counter, DAY_SECONDS, type RateWindows, WINDOW_SECONDS, windowStart } from '../storage/rate-windows.ts';
import { callerOf } from './authenticate.ts';

/** Rate-limit bucket of a request. Reads of check history have their own bucket, because they are expensive. */
export type Bucket = 'stats' | 'read' | 'write';

/** Requests per minute for each credential; 0 disables a limit. */
export type RateLimits = Readonly<Record<Bucket, number>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    bucket?: Bucket;
  }
}

/** Name of the organization's limit for each bucket. */
const ORGANIZATION_LIMITS = {
  stats: 'stats_per_minute',
  read: 'reads_per_minute',
  write: 'writes_per_minute',
} as const satisfies Record<Bucket, LimitName>;

const WRITE_BYTES = 'write_bytes_per_day';
/**
 * Unit in which written bytes are counted, rounded up. In this unit, the sum of a day fits into an integer column.
 */
const WRITE_UNIT_BYTES = 1024;
/**
 * A request waits for the new sum only if the last known sum is within this many bytes of the limit. The number is
 * higher than the number of bytes that all gateways together are expected to accept for an organization between two
 * updates of the sum.
 */
const UNCOUNTED_BYTES = 64 * 1024 * 1024;
/**
 * A request waits for its count only if the last known count is within this many requests of a limit. The number is
 * higher than the number of requests of an organization that are handled or wait at once.
 */
const UNCOUNTED_REQUESTS = 250;
/** Maximum number of counters that this process remembers. */
const MAX_KNOWN = 10_000;

/** A limited counter, and how much of its limit is used. */
interface Used extends LimitedCounter {
  readonly used: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Count of this request, which runs while the request is handled; undefined if it is not counted. */
    rateCount: Promise<Used[] | undefined> | undefined;
  }
}

/**
 * Limits the requests per minute of each credential and of each organization across all gateways, and sets the
 * `x-ratelimit-…` headers. If the counters are unavailable, all requests pass, because a failure of the counters must
 * not cause an outage of the API.
 */
export function addRateLimits(app: FastifyInstance, limits: RateLimits, windows: RateWindows): void {
  const counts = new RequestCounts(windows, limits);
  app.decorateRequest('rateCount', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { bucket } = request.routeOptions.config;
    if (!bucket) return;
    const now = new Date();
    const counters = counts.countersOf(callerOf(request), bucket, now);
    const counted = letThrough(request, () => counts.count(counters));
    request.rateCount = counted;
    // While the last known counts are far below the limits, the request is handled while it is counted.
    if (counts.areFarBelow(counters)) return;
    const tightest = tightestOf(await counted);
    if (!tightest || tightest.used <= tightest.limit) return;
    setRetryAfter(reply, endOf(now), now);
    throw new ServiceError(
      'rate_limited',
      `at most ${tightest.limit} requests of kind ${bucket} a minute for ${tightest.who}; try again when the minute is over`,
    );
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const tightest = tightestOf(await request.rateCount);
    if (tightest) setRateLimitHeaders(reply, tightest);
    return payload;
  });
  // Last known sums of written units, by organization and day.
  const known = new LRUCache<string, number>({ max: MAX_KNOWN });
  app.addHook('preValidation', async (request, reply) => {
    const units = request.routeOptions.config.bucket === 'write' ? unitsOfRequest(request) : 0;
    if (units === 0) return;
    const caller = callerOf(request);
    const limit = caller.limits[WRITE_BYTES];
    if (limit === 0) return;
    const now = new Date();
    const startsAt = windowStart(now, DAY_SECONDS);
    const counted = letThrough(request, () => countUnits(caller, now, units));
    // While the last known sum is far below the limit, the request does not wait for the new sum.
    if ((known.get(`${caller.organization.id} ${startsAt}`) ?? Infinity) * WRITE_UNIT_BYTES + UNCOUNTED_BYTES <= limit)
      return;
    const sum = await counted;
    if (sum === undefined || sum * WRITE_UNIT_BYTES <= limit) return;
    setRetryAfter(reply, startsAt / 1000 + DAY_SECONDS, now);
    throw new ServiceError(
      'rate_limited',
      `write_bytes_per_day: the organization may write ${limit} bytes a day (UTC); try again tomorrow`,
    );
  });
  // A short request can change a large resource, which is then written again as a whole, as an event for example. The
  // response shows the size of the resource. A response to a request with an idempotency key is stored, also if it is
  // an error.
  app.addHook('onSend', async (request, reply, payload) => {
    const isWritten = reply.statusCode < 300 || request.claimedKey !== undefined;
    if (request.routeOptions.config.bucket !== 'write' || !isWritten) return payload;
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const caller = callerOf(request);
    const units = unitsOf(payload) - unitsOfRequest(request);
    if (caller.limits[WRITE_BYTES] > 0 && units > 0) {
      void letThrough(request, () => countUnits(caller, new Date(), units));
    }
    return payload;
  });

  /** Counts written units of an organization, and returns their sum of the day. */
  async function countUnits({ organization }: Caller, now: Date, units: number): Promise<number> {
    const startsAt = windowStart(now, DAY_SECONDS);
    const sum = await windows.add({ id: organization.id, bucket: WRITE_BYTES, startsAt }, units);
    known.set(`${organization.id} ${startsAt}`, sum);
    return sum;
  }
}

/**
 * Returns the units that a write has before its response is known. A POST without a body has one, because it may insert
 * a row.
 */
function unitsOfRequest({ method, bodyText = '' }: FastifyRequest): number {
  return method === 'POST' ? Math.max(1, unitsOf(bodyText)) : unitsOf(bodyText);
}

function unitsOf(text: string | Buffer): number {
  return Math.ceil(Buffer.byteLength(text) / WRITE_UNIT_BYTES);
}

/** Returns the number of bytes that an organization has written today. */
export async function bytesWrittenToday(windows: RateWindows, organizationId: string, now: Date): Promise<number> {
  const startsAt = windowStart(now, DAY_SECONDS);
  return (await windows.read({ id: organizationId, bucket: WRITE_BYTES, startsAt })) * WRITE_UNIT_BYTES;
}

/** A counter of a request's credential or organization, and its limit. */
interface LimitedCounter extends Counter {
  readonly limit: number;
  /** Holder of the limit, for the error message. */
  readonly who: string;
}

/** Counts requests, and remembers the last known counts. */
class RequestCounts {
  readonly #windows: RateWindows;
  readonly #limits: RateLimits;
  /** Last known counts in the current window, by counter. */
  readonly #known = new LRUCache<string, number>({ max: MAX_KNOWN });

  constructor(windows: RateWindows, limits: RateLimits) {
    this.#windows = windows;
    this.#limits = limits;
  }

  /** Returns the counters of a request that have a limit. */
  countersOf({ credential, organization, limits }: Caller, bucket: Bucket, now: Date): LimitedCounter[] {
    const startsAt = windowStart(now);
    return [
      { id: credential.id, limit: this.#limits[bucket], who: 'this credential' },
      { id: organization.id, limit: limits[ORGANIZATION_LIMITS[bucket]], who: 'the organization' },
    ].flatMap((counter) => (counter.limit > 0 ? [{ ...counter, bucket, startsAt }] : []));
  }

  /** Returns whether UNCOUNTED_REQUESTS more requests would exceed none of the limits, as far as known. */
  areFarBelow(counters: readonly LimitedCounter[]): boolean {
    return counters.every((counter) => this.#usedOf(counter) + UNCOUNTED_REQUESTS <= counter.limit);
  }

  /**
   * Counts a request, and returns its counters. If a limit is used up already, returns only the counters of these
   * limits, without counting and without a query, so that a refusal is cheap.
   */
  async count(counters: readonly LimitedCounter[]): Promise<Used[]> {
    const exhausted = counters.filter((counter) => {
      const used = this.#known.get(keyOf(counter));
      return used !== undefined && used > counter.limit;
    });
    if (exhausted.length > 0) {
      return exhausted.map((counter) => ({ ...counter, used: this.#usedOf(counter) }));
    }
    return Promise.all(
      counters.map(async (counter) => {
        const { id, bucket, startsAt } = counter;
        const used = await this.#windows.add({ id, bucket, startsAt }, 1);
        this.#known.set(keyOf(counter), Math.max(used, this.#known.get(keyOf(counter)) ?? 0));
        return { ...counter, used };
      }),
    );
  }

  #usedOf(counter: LimitedCounter): number {
    return this.#known.get(keyOf(counter)) ?? Number.POSITIVE_INFINITY;
  }
}

function keyOf({ id, bucket, startsAt }: Counter): string {
  return `${id} ${bucket} ${startsAt}`;
}

/** Returns the limit of which the least is left. */
function tightestOf(counted: readonly Used[] | undefined): Used | undefined {
  return counted?.toSorted((a, b) => a.limit - a.used - (b.limit - b.used))[0];
}

/** Returns the end of a window, in seconds since the epoch. */
function endOf(now: Date): number {
  return windowStart(now) / 1000 + WINDOW_SECONDS;
}

async function letThrough<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    request.log.warn({ err: error }, 'requests can not be counted now, letting them through');
    return undefined;
  }
}

function setRateLimitHeaders(reply: FastifyReply, { limit, used, startsAt }: Used): void {
  reply.header('x-ratelimit-limit', String(limit));
  reply.header('x-ratelimit-remaining', String(Math.max(0, limit - used)));
  reply.header('x-ratelimit-reset', String(startsAt / 1000 + WINDOW_SECONDS));
}

function setRetryAfter(reply: FastifyReply, endsAt: number, now: Date): void {
  reply.header('retry-after', String(Math.max(1, Math.ceil(endsAt - now.getTime() / 1000))));
}
