import type { LimitName } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../clients/credentials.ts';
import { DAY_SECONDS, type RateWindows, WINDOW_SECONDS, windowStart } from '../storage/rate-windows.ts';
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
/** Maximum number of counters that this process remembers. */
const MAX_KNOWN = 10_000;

/** A limit, and how much of it is used. */
interface Used {
  readonly limit: number;
  readonly used: number;
  /** Holder of the limit, for the error message. */
  readonly who: string;
}

/**
 * Limits the requests per minute of each credential and of each organization across all gateways, and sets the
 * `x-ratelimit-…` headers. If the counters are unavailable, all requests pass, because a failure of the counters must
 * not cause an outage of the API.
 */
export function addRateLimits(app: FastifyInstance, limits: RateLimits, windows: RateWindows): void {
  // Limits that are used up in the current window. Further requests are refused without a query, so that a refusal is
  // cheap.
  const exhausted = new LRUCache<string, Used>({ max: MAX_KNOWN });
  app.addHook('onRequest', async (request, reply) => {
    const { bucket } = request.routeOptions.config;
    if (!bucket) return;
    const now = new Date();
    const counts = await letThrough(request, () =>
      countRequest(windows, exhausted, callerOf(request), { bucket, limits, now }),
    );
    const [tightest] = (counts ?? []).sort((a, b) => a.limit - a.used - (b.limit - b.used));
    if (!tightest) return;
    const endsAt = windowStart(now) / 1000 + WINDOW_SECONDS;
    setRateLimitHeaders(reply, tightest, endsAt);
    if (tightest.used <= tightest.limit) return;
    setRetryAfter(reply, endsAt, now);
    throw new ServiceError(
      'rate_limited',
      `at most ${tightest.limit} requests of kind ${bucket} a minute for ${tightest.who}; try again when the minute is over`,
    );
  });
  // Last known sums of written units, by organization and day.
  const known = new LRUCache<string, number>({ max: MAX_KNOWN });
  app.addHook('preValidation', async (request, reply) => {
    if (request.routeOptions.config.bucket !== 'write' || !request.bodyText) return;
    const caller = callerOf(request);
    const limit = caller.limits[WRITE_BYTES];
    if (limit === 0) return;
    const now = new Date();
    const startsAt = windowStart(now, DAY_SECONDS);
    const counted = letThrough(request, () => countUnits(caller, now, unitsOf(request.bodyText)));
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
  // response shows the size of the resource.
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.config.bucket !== 'write' || reply.statusCode >= 300) return payload;
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const caller = callerOf(request);
    const units = unitsOf(payload) - unitsOf(request.bodyText ?? '');
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

function unitsOf(text: string | Buffer): number {
  return Math.ceil(Buffer.byteLength(text) / WRITE_UNIT_BYTES);
}

/** Returns the number of bytes that an organization has written today. */
export async function bytesWrittenToday(windows: RateWindows, organizationId: string, now: Date): Promise<number> {
  const startsAt = windowStart(now, DAY_SECONDS);
  return (await windows.read({ id: organizationId, bucket: WRITE_BYTES, startsAt })) * WRITE_UNIT_BYTES;
}

async function countRequest(
  windows: RateWindows,
  exhausted: LRUCache<string, Used>,
  { credential, organization, limits: own }: Caller,
  { bucket, limits, now }: { bucket: Bucket; limits: RateLimits; now: Date },
): Promise<Used[]> {
  const startsAt = windowStart(now);
  const counted = [
    { id: credential.id, limit: limits[bucket], who: 'this credential' },
    { id: organization.id, limit: own[ORGANIZATION_LIMITS[bucket]], who: 'the organization' },
  ].filter(({ limit }) => limit > 0);
  const keyOf = ({ id, limit }: { id: string; limit: number }) => `${id} ${bucket} ${startsAt} ${limit}`;
  const known = counted.flatMap((counter) => exhausted.get(keyOf(counter)) ?? []);
  if (known.length > 0) return known;
  return Promise.all(
    counted.map(async (counter) => {
      const { id, limit, who } = counter;
      const sum = { limit, used: await windows.add({ id, bucket, startsAt }, 1), who };
      if (sum.used > limit) exhausted.set(keyOf(counter), sum);
      return sum;
    }),
  );
}

async function letThrough<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    request.log.warn({ err: error }, 'requests can not be counted now, letting them through');
    return undefined;
  }
}

function setRateLimitHeaders(reply: FastifyReply, { limit, used }: Used, endsAt: number): void {
  reply.header('x-ratelimit-limit', String(limit));
  reply.header('x-ratelimit-remaining', String(Math.max(0, limit - used)));
  reply.header('x-ratelimit-reset', String(endsAt));
}

function setRetryAfter(reply: FastifyReply, endsAt: number, now: Date): void {
  reply.header('retry-after', String(Math.max(1, Math.ceil(endsAt - now.getTime() / 1000))));
}
