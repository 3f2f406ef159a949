import { createHash } from 'node:crypto';
import { invalid, ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import type { ClaimedKey, IdempotencyKey, IdempotentResponses } from '../storage/idempotent-responses.ts';
import { callerOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Idempotency key that is reserved for this request while it runs; otherwise undefined. */
    claimedKey: ClaimedKey | undefined;
  }
}

const MAX_KEY = 255;

/** Time after which a repeated request should be sent again while the first one runs, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Executes a POST with an `Idempotency-Key` once, and replays the response to repeated requests. 5xx and 429 responses
 * are not stored, so that the request can be retried. A response that can't be stored is sent nevertheless. If a
 * request is executed again because its response was not stored, the services recognize it by
 * `claimedKey.idempotencyId`.
 */
export function addIdempotency(app: FastifyInstance, responses: IdempotentResponses): void {
  app.decorateRequest('claimedKey', undefined);

  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (!key) return;
    const claim = await responses.claim(key, new Date());
    switch (claim.kind) {
      case 'mine':
        request.claimedKey = claim.claimed;
        return;
      case 'running':
        throw new ServiceError('conflict', 'a request with this Idempotency-Key is still running', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      case 'another_request':
        throw invalid({ 'idempotency-key': ['was used for another request; use a new one'] });
      case 'answered':
        reply.header('idempotency-replayed', 'true');
        return sentByHook(
          reply.code(claim.status).type('application/json; charset=utf-8').serializer(String).send(claim.body),
        );
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const key = request.claimedKey;
    if (!key) return;
    request.claimedKey = undefined;
    const isOurFault = reply.statusCode >= 500 || reply.statusCode === 429;
    try {
      if (isOurFault || typeof payload !== 'string') await responses.release(key, new Date());
      else await responses.keep(key, reply.statusCode, payload);
    } catch (error) {
      // An error of this hook would replace the response, which says whether the request was executed.
      request.log.warn({ err: error }, 'idempotency key neither kept nor released; it stays claimed for a while');
    }
  });
}

/** Whether a request only validates, so that the same key can be used for the request that follows. */
function isValidation({ query }: FastifyRequest): boolean {
  return String((query as Readonly<Record<string, unknown>>).validate_only) === 'true';
}

function keyOf(request: FastifyRequest): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid({ 'idempotency-key': [`must be 1 to ${MAX_KEY} visible ASCII characters`] });
  }
  if (isValidation(request)) return undefined;
  const requestHash = createHash('sha256').update(`${request.method} ${request.url}\n${request.bodyText}`).digest();
  return { credentialId: callerOf(request).credential.id, key, requestHash };
}
