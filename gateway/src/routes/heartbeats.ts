import { monitorStates } from '@tocsin/enums';
import { type SignalAnswer, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Heartbeats } from '../clients/heartbeats.ts';
import { ErrorAnswer, oneOf } from '../schemas/common.ts';

/** What monitors are given; anything else is not worth a question. */
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

/** What is sent along (the output of a job, say) is read and forgotten. */
const MAX_BODY_BYTES = 1_000_000;

const RETRY_AFTER_SECONDS = 60;

const Params = Type.Object({ token: Type.String({ description: "The monitor's `heartbeat_token`" }) });

const Heard = Type.Object(
  { status: oneOf(['ok']), state: oneOf(monitorStates.names, { description: 'Of the monitor, with this ping' }) },
  { description: 'It counts, and is on disk' },
);

const refusal = (word: string, description: string) => Type.Object({ error: oneOf([word]) }, { description });

const answers = {
  200: Heard,
  404: refusal('not_found', 'No monitor has this token'),
  413: ErrorAnswer,
  429: refusal('rate_limited', 'More than 6 pings within a minute; this one does not count'),
  500: ErrorAnswer,
  503: ErrorAnswer,
};

const endpoints = [
  ['', SignalKind.PING, 'pingHeartbeat', 'Say that a job ran'],
  ['/fail', SignalKind.FAIL, 'failHeartbeat', 'Say that a job failed'],
  ['/start', SignalKind.START, 'startHeartbeat', 'Say that a job begins; its run time is then recorded'],
] as const;

/** What jobs call, with any method and body and without a credential (spec: Heartbeat endpoint). */
export async function addHeartbeats(app: FastifyInstance, heartbeats: Heartbeats): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // One that is no media type at all would be refused before any parser is asked.
    scope.addHook('onRequest', async ({ raw }) => {
      if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = 'application/octet-stream';
    });
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, _body, done) => {
      done(null, undefined);
    });
    const config = { isPathSecret: true };
    for (const [suffix, kind, operationId, summary] of endpoints) {
      const url = `/api/heartbeat/:token${suffix}`;
      const schema = {
        ...{ operationId, summary, tags: ['Heartbeats'], security: [], params: Params, response: answers },
        description: 'Any method will do. No credential is needed: the token is one.',
      };
      async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
        const { token } = request.params as Static<typeof Params>;
        return tell(reply, TOKEN.test(token) ? await heartbeats.send(token, kind) : undefined);
      }
      const others = scope.supportedMethods.filter((method) => method !== 'POST');
      scope.route({ method: 'POST', url, config, schema, handler });
      scope.route({ method: others, url, config, schema: { ...schema, hide: true }, handler });
    }
    // A token with a misspelt ending is none of the logs' business either.
    scope.route({
      ...{ method: scope.supportedMethods, url: '/api/heartbeat/*', config, schema: { hide: true } },
      handler: (_request, reply) => tell(reply, undefined),
    });
  });
}

function tell(reply: FastifyReply, answer: SignalAnswer | undefined): FastifyReply {
  reply.header('cache-control', 'no-store');
  switch (answer?.outcome) {
    case SignalOutcome.HEARD:
      return reply.send({ status: 'ok', state: monitorStates.toName(answer.state) });
    case SignalOutcome.RATE_LIMITED:
      return reply.code(429).header('retry-after', RETRY_AFTER_SECONDS).send({ error: 'rate_limited' });
    default:
      return reply.code(404).send({ error: 'not_found' });
  }
}
