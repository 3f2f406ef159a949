import type { IncomingMessage } from 'node:http';
import { monitorStates } from '@tocsin/enums';
import { type SignalAnswer, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Heartbeats } from '../clients/heartbeats.ts';
import { MAX_PING_BYTES } from '../endpoint/body-limits.ts';
import type { AddressWindows } from '../plugins/address-windows.ts';
import { PendingPerAddress } from '../plugins/pending-per-address.ts';
import { ErrorSchema, oneOf } from '../schemas/common.ts';

/** Format of tokens. Other strings get a 404 without a call to the service. */
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

const RETRY_AFTER_SECONDS = 60;

/**
 * Maximum number of pending pings with unknown tokens for one address. After a restart of this process, each token is
 * unknown, so the number must be higher than the number of jobs of a machine that ping at once.
 */
const MAX_PENDING_UNKNOWN = 1_000;

const Params = Type.Object({ token: Type.String({ maxLength: 100, description: "The monitor's `heartbeat_token`" }) });

const Recorded = Type.Object(
  { status: oneOf(['ok']), state: oneOf(monitorStates.names, { description: 'Of the monitor, with this ping' }) },
  { description: 'The ping was recorded' },
);

const refusal = (word: string, description: string) => Type.Object({ error: oneOf([word]) }, { description });

const responses = {
  200: Recorded,
  404: refusal('not_found', 'No monitor has this token'),
  413: ErrorSchema,
  429: refusal(
    'rate_limited',
    'More than 6 pings within a minute, or too many unknown tokens from this address; this one does not count',
  ),
  500: ErrorSchema,
  503: ErrorSchema,
};

const endpoints = [
  ['', SignalKind.PING, 'pingHeartbeat', 'Record that a job succeeded'],
  ['/fail', SignalKind.FAIL, 'failHeartbeat', 'Record that a job failed'],
  ['/start', SignalKind.START, 'startHeartbeat', 'Record that a job starts, and measure its run time'],
] as const;

/** Documented methods, with the suffixes of their operation ids. All other methods are also accepted. */
const DOCUMENTED = new Map([
  ['POST', ''],
  ['GET', 'WithGet'],
  ['HEAD', 'WithHead'],
]);

/**
 * Adds the endpoint that jobs call. It accepts any method and body, and needs no credential.
 * @param unknown Counts the unknown tokens of each address.
 */
export async function addHeartbeats(
  app: FastifyInstance,
  heartbeats: Heartbeats,
  unknown: AddressWindows,
): Promise<void> {
  const pending = new PendingPerAddress(MAX_PENDING_UNKNOWN);

  /**
   * Sends a signal. A token that is not known to `heartbeats` is refused if the client's address has sent too many
   * unknown tokens, or has too many of them pending.
   */
  async function ping(request: FastifyRequest, reply: FastifyReply, kind: SignalKind): Promise<FastifyReply> {
    const { token } = request.params as Static<typeof Params>;
    if (!TOKEN.test(token)) return respond(reply, undefined);
    if (heartbeats.isKnown(token)) return respond(reply, await heartbeats.send(token, kind));
    const seconds = unknown.retryAfter(request.ip, Date.now());
    if (seconds !== undefined) return refuse(reply, seconds);
    using place = pending.begin(request.ip);
    if (!place) return refuse(reply, 1);
    const answer = await heartbeats.send(token, kind);
    if (answer.outcome === SignalOutcome.NOT_FOUND) unknown.record(request.ip, Date.now());
    return respond(reply, answer);
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Replaces the media type, because Fastify rejects an invalid one before it selects a parser.
    scope.addHook('onRequest', async ({ raw }) => {
      // Fastify also rejects a QUERY request without a media type.
      if (raw.headers['content-type'] !== undefined || raw.method === 'QUERY')
        raw.headers['content-type'] = 'application/octet-stream';
    });
    scope.addContentTypeParser('*', (request, payload, done) => {
      if (Number(request.headers['content-length'] ?? 0) > MAX_PING_BYTES) {
        return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      }
      discard(payload);
      done(null, undefined);
    });
    const config = { isPathSecret: true };
    for (const [suffix, kind, operationId, summary] of endpoints) {
      const url = `/api/heartbeat/:token${suffix}`;
      const schema = {
        operationId,
        summary,
        tags: ['Heartbeats'],
        security: [],
        params: Params,
        response: responses,
        description: 'Every method does the same. No credential is needed: the token is one.',
      };
      const handler = (request: FastifyRequest, reply: FastifyReply) => ping(request, reply, kind);
      for (const [method, ending] of DOCUMENTED) {
        scope.route({
          method,
          url,
          handler,
          exposeHeadRoute: false,
          config: { ...config, swagger: { exposeHeadRoute: true } },
          schema: { ...schema, operationId: `${operationId}${ending}` },
        });
      }
      const others = scope.supportedMethods.filter((method) => !DOCUMENTED.has(method));
      scope.route({ method: others, url, config, schema: { ...schema, hide: true }, handler });
    }
    // This route catches misspelled suffixes, so that the token in the path does not reach the logs.
    scope.route({
      method: scope.supportedMethods,
      url: '/api/heartbeat/*',
      config,
      schema: { hide: true },
      handler: (_request, reply) => respond(reply, undefined),
    });
  });
}

/**
 * Reads and discards a body, because its sender may read the response only after sending all of it. A body over the
 * limit ends the connection.
 */
function discard(body: IncomingMessage): void {
  let length = 0;
  body.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length > MAX_PING_BYTES) body.destroy();
  });
  body.on('error', () => {});
}

function respond(reply: FastifyReply, signal: SignalAnswer | undefined): FastifyReply {
  reply.header('cache-control', 'no-store');
  switch (signal?.outcome) {
    case SignalOutcome.HEARD:
      return reply.send({ status: 'ok', state: monitorStates.toName(signal.state) });
    case SignalOutcome.RATE_LIMITED:
      return refuse(reply, RETRY_AFTER_SECONDS);
    default:
      return reply.code(404).send({ error: 'not_found' });
  }
}

function refuse(reply: FastifyReply, retryAfter: number): FastifyReply {
  reply.header('cache-control', 'no-store').header('retry-after', retryAfter);
  return reply.code(429).send({ error: 'rate_limited' });
}
