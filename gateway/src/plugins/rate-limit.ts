import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type RateWindows, WINDOW_SECONDS, windowStart } from '../storage/rate-windows.ts';
import { callerOf } from './authenticate.ts';

/** What a call is counted as: reads of check history are dear, so they have a bucket of their own. */
export type Bucket = 'stats' | 'read' | 'write';

/** Requests a minute and credential; 0 is no limit. */
export type RateLimits = Readonly<Record<Bucket, number>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    bucket?: Bucket;
  }
}

/**
 * Lets a credential call only so often in a minute, the same over all gateways, and says on every answer how much is
 * left. While the count can't be had, calls are let through: a limit protects the service, and must not be its outage.
 */
export function addRateLimits(app: FastifyInstance, limits: RateLimits, windows: RateWindows): void {
  app.addHook('onRequest', async (request, reply) => {
    const { bucket } = request.routeOptions.config;
    const limit = bucket ? limits[bucket] : 0;
    if (!bucket || limit === 0) return;
    const now = new Date();
    const used = await ordinal(request, bucket, now, windows);
    if (used === undefined) return;
    const endsAt = windowStart(now) / 1000 + WINDOW_SECONDS;
    setRateLimitHeaders(reply, limit, used, endsAt);
    if (used <= limit) return;
    reply.header('retry-after', String(Math.max(1, Math.ceil(endsAt - now.getTime() / 1000))));
    throw new ServiceError(
      'rate_limited',
      `at most ${limit} requests of kind ${bucket} a minute; try again when the minute is over`,
    );
  });
}

async function ordinal(
  request: FastifyRequest,
  bucket: Bucket,
  now: Date,
  windows: RateWindows,
): Promise<number | undefined> {
  try {
    return await windows.count(callerOf(request).credential.id, bucket, now);
  } catch (error) {
    request.log.warn({ err: error }, 'requests can not be counted now, letting them through');
    return undefined;
  }
}

function setRateLimitHeaders(reply: FastifyReply, limit: number, used: number, endsAt: number): void {
  reply.header('x-ratelimit-limit', String(limit));
  reply.header('x-ratelimit-remaining', String(Math.max(0, limit - used)));
  reply.header('x-ratelimit-reset', String(endsAt));
}
