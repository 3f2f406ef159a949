export { accessOf } from './access.ts';
export { startAdminServer } from './admin-server.ts';
export { backoff, pause, untilItWorks } from './backoff.ts';
export { type BaseConfig, readBaseConfig } from './base-config.ts';
export { type Caller, callerOf, limitsOf, organizationOf, requirePermission } from './caller.ts';
export { ConfigError, ConfigReader, type Environment } from './config.ts';
export { consumeStream, type StreamConsumerOptions } from './consume-stream.ts';
export { FairQueue } from './fair-queue.ts';
export { FairSlots, type FairSlotsOptions, SlotsFullError } from './fair-slots.ts';
export { idempotencyIdOf, withIdempotencyId } from './idempotency-id.ts';
export {
  claimsOf,
  createTokenVerifier,
  lifetimeMs,
  TOKEN_ALGORITHM,
  TOKEN_ISSUER,
  type TokenVerifier,
} from './internal-token.ts';
export { listen } from './listen.ts';
export { createLogger, type Logger } from './logger.ts';
export { type LoopOutcome, startLoop } from './loop.ts';
export { connectNats, type NatsHandle, natsOptions } from './nats.ts';
export { peerAddress } from './peer-address.ts';
export { Readiness, type ReadinessCheck } from './readiness.ts';
export { releaseWhenClosed } from './release-when-closed.ts';
export { currentRequestId, isSaneRequestId, REQUEST_ID_HEADER, withRequestId } from './request-id.ts';
export {
  createRpcClient,
  createTransport,
  forOrganization,
  type TokensByService,
  type TransportOptions,
  withToken,
  withTokens,
} from './rpc-client.ts';
export {
  MAX_ANONYMOUS_REQUEST_BYTES,
  MAX_REQUEST_BYTES,
  type RpcServer,
  type RpcServerOptions,
  startRpcServer,
} from './rpc-server.ts';
export { configured, type Program, runPrograms, runService } from './run-service.ts';
export { addProcessMetrics, createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts';
export {
  createRemoteTokenVerifier,
  createTokenSource,
  type ServiceIdentity,
  type TokenSource,
} from './service-token.ts';
export { suspendClock } from './suspend-clock.ts';
export { inService, startTelemetry, type TelemetryOptions, telemetryFromEnvironment } from './telemetry.ts';
export { openTls, type Tls } from './tls.ts';
export { contextFromHeaders, inSpan, SpanKind, startSpan, traceHeaders } from './trace-headers.ts';
export { serializeEarly } from './unary-methods.ts';
export { isValidateOnly, isValidError, runValidateOnly, validateOnly, validError } from './validate-only.ts';
export { createWakeup, type Wakeup } from './wakeup.ts';
