import type { Runtime } from '@tocsin/runtime';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Credentials } from './clients/credentials.ts';
import type { Heartbeats } from './clients/heartbeats.ts';
import type { Services } from './clients/services.ts';
import type { CountUsage } from './clients/usage.ts';
import type { GatewayConfig } from './config.ts';
import { MAX_IGNORED_BYTES } from './endpoint/body-limits.ts';
import { addJsonBodies, addValidation } from './endpoint/validation.ts';
import { addMcp } from './mcp/add-mcp.ts';
import { addOpenApi } from './openapi/openapi.ts';
import { addPages, type PageParts } from './pages/add-pages.ts';
import { sendCurrentPages } from './pages/send-directly.ts';
import { addTlsAsk } from './pages/tls-ask.ts';
import { visitorFinder } from './pages/visitor.ts';
import { AddressWindows } from './plugins/address-windows.ts';
import { addAdmission, createBodyBudget } from './plugins/admission.ts';
import { addAuthentication, addAuthorization } from './plugins/authenticate.ts';
import { addCompression } from './plugins/compression.ts';
import { addCors } from './plugins/cors.ts';
import { delayRefusals } from './plugins/delay-refusals.ts';
import { endConnectionsAfter } from './plugins/ending-connections.ts';
import { addErrorHandlers, addExpectationHandler, handleClientError, rejectBadPath } from './plugins/errors.ts';
import { addEtags } from './plugins/etag.ts';
import { addIdempotency } from './plugins/idempotency.ts';
import { addIgnoredFields } from './plugins/ignored-fields.ts';
import { addObservation, requestIdFrom } from './plugins/observe.ts';
import { addPageLimit } from './plugins/page-limit.ts';
import { addRateLimits } from './plugins/rate-limit.ts';
import { addStrictTransport, strictTransport } from './plugins/security-headers.ts';
import { countUnsentResponses, UnsentResponses } from './plugins/unsent-responses.ts';
import { closeUnusedConnections } from './plugins/unused-connections.ts';
import { addRawJson } from './raw-json/raw-json.ts';
import { addHeartbeats } from './routes/heartbeats.ts';
import { apiRoutes } from './routes/index.ts';
import type { IdempotentResponses } from './storage/idempotent-responses.ts';
import type { RateWindows } from './storage/rate-windows.ts';

/** Parts of the app that have state or call other services. */
export interface AppParts {
  readonly credentials: Credentials;
  readonly services: Services;
  readonly heartbeats: Heartbeats;
  readonly windows: RateWindows;
  readonly countUsage: CountUsage;
  readonly responses: IdempotentResponses;
  readonly pages: PageParts;
}

/** Ratio of the limit of page views per address to the limit of views of pages that are not in the cache. */
const VIEWS_PER_MISS = 3;

/** Returns the public HTTP server with all routes. It does not listen yet. */
export async function createApp(config: GatewayConfig, runtime: Runtime, parts: AppParts): Promise<FastifyInstance> {
  const loggerInstance: FastifyBaseLogger = runtime.logger;
  const app: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_IGNORED_BYTES,
    // No child logger is created, because the runtime's logger already adds the request id to each line.
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: config.requestTimeoutMs,
    // The check of the Host header is disabled, because Node's own response to a request without this header has no
    // body.
    http: {
      requireHostHeader: false,
      // headersTimeout must not exceed requestTimeout, because Node would swap the two values.
      headersTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, config.requestTimeoutMs / 2),
    },
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    frameworkErrors: rejectBadPath,
    clientErrorHandler: handleClientError,
    routerOptions: { ignoreTrailingSlash: true },
  });
  closeUnusedConnections(app);
  addObservation(app, runtime);
  delayRefusals(app);
  addStrictTransport(app, config.baseUrl);
  addValidation(app);
  addJsonBodies(app);
  addCors(app, config.corsOrigins);
  addErrorHandlers(app);
  addExpectationHandler(app);
  addRawJson(app);
  const windows = new AddressWindows(config.pagesPerMinute);
  addPageLimit(app, windows);
  const unsent = new UnsentResponses(runtime.metrics);
  countUnsentResponses(app, unsent);
  addCompression(app);
  await addOpenApi(app, config.baseUrl);
  const bodies = createBodyBudget();
  await app.register(
    async (api) => {
      addAuthentication(api, parts.credentials, new AddressWindows(config.failedCredentialsPerMinute));
      addRateLimits(api, config.rateLimits, parts.windows);
      addAuthorization(api);
      addAdmission(api, runtime, bodies);
      addIdempotency(api, parts.responses);
      addEtags(api);
      addIgnoredFields(api);
      for (const add of apiRoutes(parts, config.baseUrl)) add(api);
    },
    { prefix: '/api/v1' },
  );
  addMcp(app, config.baseUrl, bodies);
  await addHeartbeats(app, parts.heartbeats, new AddressWindows(config.failedCredentialsPerMinute));
  const missesPerMinute = Math.ceil(config.pagesPerMinute / VIEWS_PER_MISS);
  addPages(app, parts.pages, {
    statuspageUrl: config.statuspageUrl,
    misses: new AddressWindows(missesPerMinute),
    unsent,
  });
  addTlsAsk(app, {
    certificates: parts.pages.certificates,
    asks: new AddressWindows(missesPerMinute),
    trustedProxies: config.trustedProxies,
  });
  sendCurrentPages(app, {
    cache: parts.pages.cache,
    hosts: parts.pages.hosts,
    windows,
    unsent,
    visitorOf: visitorFinder(config.trustedProxies),
    metrics: runtime.metrics,
    common: Object.entries(strictTransport(config.baseUrl)).flat(),
  });
  endConnectionsAfter(app, runtime.signal);
  return app;
}
