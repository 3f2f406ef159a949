import { ServiceError } from '@tocsin/errors';
import { FairSlots, type Runtime, SlotsFullError } from '@tocsin/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Gauge } from 'prom-client';
import { callerOf } from './authenticate.ts';
import { BodyBudget } from './body-budget.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs the work of a request when its organization has a free slot.
     * @throws ServiceError `rate_limited` if too many requests of the organization are waiting already.
     */
    admit<Result>(request: FastifyRequest, reply: FastifyReply, work: () => Promise<Result>): Promise<Result>;
  }
  interface FastifyContextConfig {
    /** Whether the response waits for servers outside this installation, as the response to a test alert does. */
    isWaiting?: boolean;
  }
}

/**
 * Limits for requests that do not wait for servers outside this installation. Each takes milliseconds, so a few at a
 * time keep the processors busy. The more requests run at once, the longer each of them takes.
 */
const WORKING = { slots: 32, perTenant: 16, perTenantOfSeveral: 4, waitingPerTenant: 200, waiting: 2_000 };

/** Limits for requests that wait for servers outside this installation. They cost little, but take up to 75 seconds. */
const WAITING = { slots: 512, perTenant: 16, waitingPerTenant: 16, waiting: 512 };

/** Maximum total size, in bytes, of the request bodies in memory. */
const BODIES = { bytes: 128 * 1024 * 1024, bytesPerTenant: 4 * 1024 * 1024 };

const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the number of requests that are processed at once and the total size of their bodies, per organization and
 * overall. Requests over the limit wait. Organizations are served in turn; those without a running request come first.
 * Must be added after authentication and before the routes.
 */
export function addAdmission(app: FastifyInstance, { metrics }: Runtime, bodies = createBodyBudget()): void {
  const working = new FairSlots(WORKING);
  const waiting = new FairSlots(WAITING);
  observe('tocsin_http_running', 'API requests that are processed now', () => working.running + waiting.running);
  observe('tocsin_http_waiting', 'API requests that wait for others', () => working.waiting + waiting.waiting);
  observe('tocsin_http_body_bytes', 'Bytes of request bodies in memory, or announced', () => bodies.used);

  function observe(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value());
      },
    });
  }

  app.addHook('preParsing', async (request, reply, payload) => {
    reserveBody(bodies, callerOf(request).organization.id, request, reply);
    return payload;
  });

  app.decorate('admit', async (request, reply, work) => {
    const slots = request.routeOptions.config.isWaiting ? waiting : working;
    try {
      return await slots.run(callerOf(request).organization.id, work);
    } catch (error) {
      if (!(error instanceof SlotsFullError)) throw error;
      throw tooMany(reply, 'the organization makes too many requests at once; try again');
    }
  });
}

/** Returns the budget for all request bodies. */
export function createBodyBudget(): BodyBudget {
  return new BodyBudget(BODIES);
}

/**
 * Reserves memory for a request body until the response has been sent.
 * @throws ServiceError `rate_limited` if the body would exceed the limit of the organization or the limit for all
 * organizations.
 */
export function reserveBody(
  bodies: BodyBudget,
  organizationId: string,
  { headers, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): void {
  const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
  const bytes = Math.min(announced, routeOptions.bodyLimit);
  if (!(bytes > 0)) return;
  const release = bodies.take(organizationId, bytes);
  if (!release) throw tooMany(reply, 'the organization sends too many large bodies at once; try again');
  reply.raw.once('close', release);
}

function tooMany(reply: FastifyReply, message: string): ServiceError {
  reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  return new ServiceError('rate_limited', message);
}
