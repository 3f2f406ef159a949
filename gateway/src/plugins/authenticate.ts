import { grants, type Permission } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Credentials } from '../clients/credentials.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; there for every route under /api/v1. */
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** Permission that the route needs; absent: any valid credential will do. */
    permission?: Permission;
  }
}

/** Lets nobody in who has no valid credential. */
export function addAuthentication(app: FastifyInstance, credentials: Credentials): void {
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', async (request) => {
    const secret = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!secret) {
      throw new ServiceError('unauthenticated', 'an API key is required: authorization: Bearer <key>');
    }
    request.caller = await credentials.exchange(secret);
  });
}

/** Lets nobody into a route who lacks its permission. */
export function addAuthorization(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { permission } = request.routeOptions.config;
    if (permission && !grants(callerOf(request).credential.permissions, permission)) {
      throw new ServiceError('forbidden', `this credential lacks the permission ${permission}`);
    }
  });
}

/** Who calls a route that nobody enters without a credential. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new ServiceError('unauthenticated', 'an API key is required');
  return request.caller;
}
