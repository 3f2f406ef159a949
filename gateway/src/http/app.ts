import type { Runtime } from '@tocsin/runtime';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Credentials } from '../clients/credentials.ts';
import type { Services } from '../clients/services.ts';
import type { GatewayConfig } from '../config.ts';
import { apiRoutes } from '../routes/index.ts';
import { addAuthentication } from './authenticate.ts';
import { addErrorHandlers } from './errors.ts';
import { addObservation, requestIdFrom } from './observe.ts';
import { addOpenApi } from './openapi.ts';
import { addJsonBodies, addValidation } from './validation.ts';

const MAX_BODY_BYTES = 1_000_000;

/** The public HTTP server with every route, not listening yet. */
export async function createApp(
  config: GatewayConfig,
  runtime: Runtime,
  credentials: Credentials,
  services: Services,
): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = runtime.logger;
  const app: FastifyInstance = fastify({
    loggerInstance,
    disableRequestLogging: true,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  });
  addObservation(app, runtime);
  addValidation(app);
  addJsonBodies(app);
  addErrorHandlers(app);
  await addOpenApi(app, config.baseUrl);
  await app.register(
    async (api) => {
      addAuthentication(api, credentials);
      for (const add of apiRoutes(services)) add(api);
    },
    { prefix: '/api/v1' },
  );
  return app;
}
