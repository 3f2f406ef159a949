import { grants, type Permission } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Credentials } from '../clients/credentials.ts';
import type { AddressWindows } from './address-windows.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Authenticates a request again after it has waited, so that its internal tokens are valid for long enough.
     * @throws ServiceError `unauthenticated` if the credential was revoked or has expired in the meantime.
     */
    authenticateAgain(request: FastifyRequest): Promise<Caller>;
  }
  interface FastifyRequest {
    /** The authenticated caller; set on every route under /api/v1. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** Permission that the route needs. If absent, any valid credential is accepted. */
    permission?: Permission;
  }
}

/** Rejects requests without a valid credential, and addresses that have sent too many unknown credentials. */
export function addAuthentication(app: FastifyInstance, credentials: Credentials, failed: AddressWindows): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request, reply) => {
    // A request without a credential is not counted, because it is not an attempt to guess one.
    const secret = secretOf(request);
    try {
      request.caller = await credentials.exchange(secret, () => limitUnknown(request, reply));
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'unauthenticated') failed.record(request.ip, Date.now());
      throw error;
    }
  });

  app.decorate('authenticateAgain', (request) => credentials.exchange(secretOf(request)));

  function limitUnknown({ ip }: FastifyRequest, reply: FastifyReply): void {
    const seconds = failed.retryAfter(ip, Date.now());
    if (seconds === undefined) return;
    reply.header('retry-after', String(seconds));
    throw new ServiceError('rate_limited', 'too many unknown credentials from this address; try again in a minute');
  }
}

/**
 * Returns the API key or access token of a request.
 * @throws ServiceError `unauthenticated` if the request has no credential.
 */
function secretOf({ headers }: FastifyRequest): string {
  const secret = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!secret)
    throw new ServiceError(
      'unauthenticated',
      'an API key or access token is required: authorization: Bearer <credential>',
    );
  return secret;
}

/** Rejects credentials that lack the permission of the route. */
export function addAuthorization(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { permission } = request.routeOptions.config;
    if (permission && !grants(callerOf(request).credential.permissions, permission)) {
      throw new ServiceError('forbidden', `this credential lacks the permission ${permission}`);
    }
  });
}

/** Returns the caller of a route that needs a credential. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new ServiceError('unauthenticated', 'an API key or access token is required');
  return request.caller;
}
