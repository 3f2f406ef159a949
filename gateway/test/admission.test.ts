import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Credentials } from '../src/clients/credentials.ts';
import { route } from '../src/endpoint/route.ts';
import { addJsonBodies, addValidation } from '../src/endpoint/validation.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addAdmission } from '../src/plugins/admission.ts';
import { addAuthentication } from '../src/plugins/authenticate.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';

/** Limits on an organization's running and waiting requests. */
const RUNNING = 16;
const RUNNING_OF_SEVERAL = 4;
const WAITING = 200;

const runtime = createRuntime('gateway', { logLevel: 'error' });
let app: FastifyInstance;
let url: string;
/** Running requests, in the order in which they began. `finish` completes a request. */
const begun: { organization: string; token: string | undefined; finish: () => void }[] = [];
const revoked = new Set<string>();

/** Number of credentials that have been exchanged for tokens so far. */
let exchanges = 0;

/** The API key is the name of the organization. The token is the value of `exchanges`. */
const credentials: Credentials = {
  async exchange(secret) {
    if (revoked.has(secret)) throw new ServiceError('unauthenticated', 'the API key is not valid');
    exchanges += 1;
    const organization = { id: secret, accountNumber: 1, name: secret };
    const credential = { id: secret, kind: 'api_key', name: secret, permissions: [] } as const;
    return { tokens: { monitor: String(exchanges) }, organization, credential, limits: toLimits({}) };
  },
  drop() {},
};

beforeAll(async () => {
  app = fastify();
  addValidation(app);
  addJsonBodies(app);
  addErrorHandlers(app);
  addAuthentication(app, credentials, new AddressWindows(0));
  addAdmission(app, runtime);
  route({
    method: 'POST',
    path: '/work',
    summary: 'Work',
    tag: 'Monitors',
    body: Type.Object({}),
    maxBodyBytes: 1024 * 1024,
    response: Type.Object({}),
    async handle({ caller }) {
      const turn = Promise.withResolvers<void>();
      begun.push({ organization: caller.organization.id, token: caller.tokens.monitor, finish: turn.resolve });
      await turn.promise;
      return {};
    },
  })(app);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const post = (organization: string) =>
  fetch(`${url}/work`, {
    method: 'POST',
    headers: { authorization: `Bearer ${organization}`, 'content-type': 'application/json' },
    body: '{}',
  });

async function metric(name: string): Promise<number> {
  const text = await runtime.metrics.getSingleMetricAsString(name);
  return Number(text.trim().split(' ').at(-1));
}

async function finishAll(): Promise<void> {
  while (begun.length > 0 || (await metric('tocsin_http_waiting')) > 0) {
    for (const { finish } of begun.splice(0)) finish();
    await sleep(5);
  }
}

test('an organization may have 16 running and 200 waiting requests; one more is refused, and other organizations are still served', async () => {
  const sent = Array.from({ length: RUNNING + WAITING }, () => post('greedy'));
  await eventually(async () => expect(await metric('tocsin_http_waiting')).toBe(WAITING));
  expect(begun).toHaveLength(RUNNING);
  const refused = await post('greedy');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ error: { type: 'rate_limited' } });

  const other = post('modest');
  await eventually(async () => expect(begun.map(({ organization }) => organization)).toContain('modest'));
  begun.splice(-1)[0]?.finish();
  expect((await other).status).toBe(200);
  await finishAll();
  expect((await Promise.all(sent)).every(({ status }) => status === 200)).toBe(true);
});

test('an organization may have only 4 running requests while other organizations also send requests', async () => {
  const other = post('modest');
  await eventually(() => expect(begun).toHaveLength(1));
  const sent = Array.from({ length: RUNNING_OF_SEVERAL + 3 }, () => post('greedy'));
  await eventually(async () => expect(await metric('tocsin_http_waiting')).toBe(3));
  expect(begun).toHaveLength(1 + RUNNING_OF_SEVERAL);
  await finishAll();
  expect((await Promise.all([other, ...sent])).every(({ status }) => status === 200)).toBe(true);
});

test('a request that waited gets new tokens when it begins, and is refused if its key has been revoked', async () => {
  const other = post('modest');
  await eventually(() => expect(begun).toHaveLength(1));
  const running = Array.from({ length: RUNNING_OF_SEVERAL }, () => post('busy'));
  await eventually(() => expect(begun).toHaveLength(1 + RUNNING_OF_SEVERAL));
  const waiting = post('busy');
  await eventually(async () => expect(await metric('tocsin_http_waiting')).toBe(1));
  const before = exchanges;
  // The request of the other organization still runs, so the limit for several organizations still applies.
  begun.splice(1, 1)[0]?.finish();
  await eventually(() => expect(Number(begun.at(-1)?.token)).toBeGreaterThan(before));

  const late = post('busy');
  await eventually(async () => expect(await metric('tocsin_http_waiting')).toBe(1));
  revoked.add('busy');
  await finishAll();
  expect((await late).status).toBe(401);
  expect((await Promise.all([other, ...running, waiting])).every(({ status }) => status === 200)).toBe(true);
});

/** Sends only the start of a body. `status` resolves to the status of the response, or to 0 if the connection fails. */
function startBody(organization: string, headers: Record<string, string>) {
  const outgoing = request(`${url}/work`, {
    method: 'POST',
    headers: { authorization: `Bearer ${organization}`, 'content-type': 'application/json', ...headers },
  });
  const status = new Promise<number>((resolve) => {
    outgoing.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', () => resolve(0));
  });
  outgoing.write('{');
  return { status, end: () => outgoing.destroy() };
}

test.each([
  ['announces', { 'content-length': String(1024 * 1024) }],
  ['does not announce', { 'transfer-encoding': 'chunked' }],
])('an organization can send at most 4 MB of bodies at once if the client %s their size', async (_what, headers) => {
  const slow = Array.from({ length: 4 }, () => startBody('slow', headers));
  await eventually(async () => expect(await metric('tocsin_http_body_bytes')).toBe(4 * 1024 * 1024));
  const refused = startBody('slow', headers);
  expect(await refused.status).toBe(429);
  refused.end();

  const other = post('modest');
  await eventually(async () => expect(begun).toHaveLength(1));
  begun.splice(0)[0]?.finish();
  expect((await other).status).toBe(200);

  for (const { end } of slow) end();
  await eventually(async () => expect(await metric('tocsin_http_body_bytes')).toBe(0));
});
