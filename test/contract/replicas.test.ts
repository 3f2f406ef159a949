import { randomUUID } from 'node:crypto';
import { loadConfig } from '@tocsin/gateway/config';
import { createService } from '@tocsin/gateway/service';
import { prepareDatabases } from '@tocsin/local/prepare-databases';
import { openSecrets } from '@tocsin/local/secrets';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, createApi } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';
import { CLI, discover, INSECURE, tokensByCode } from '../oauth.ts';
import { signIn } from '../visitor.ts';

const LIMIT = { TOCSIN_RATE_LIMIT_STATS: '5' };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Base URLs of the installation's two gateways. */
const origins: string[] = [];
let key: string;
let network: Network;

beforeAll(async () => {
  network = stack.use(await startNetwork(LIMIT));
  key = network.installation.bootstrap.api_key;
  origins.push(network.baseUrl, stack.use(await secondGateway(network)).url);
});

async function secondGateway({ installation, dataDir, baseUrl }: Network) {
  const { bootstrap, postgres, nats } = installation;
  const secrets = await openSecrets(dataDir);
  const databases = await prepareDatabases(postgres?.url ?? '', secrets);
  const { identity, monitor, disruption, statuspage, notifier } = bootstrap.grpc;
  const config = loadConfig({
    ...LIMIT,
    TOCSIN_PORT: '0',
    TOCSIN_BASE_URL: baseUrl,
    TOCSIN_GATEWAY_DATABASE_URL: databases.gateway,
    TOCSIN_MIGRATIONS: 'wait',
    TOCSIN_NATS_URL: nats?.url ?? '',
    TOCSIN_VAULT_KEYS: secrets.vaultKeys,
    TOCSIN_SERVICE_SECRET: secrets.services.gateway,
    TOCSIN_IDENTITY_URL: `http://${identity}`,
    TOCSIN_MONITOR_URL: `http://${monitor}`,
    TOCSIN_DISRUPTION_URL: `http://${disruption}`,
    TOCSIN_STATUSPAGE_URL: `http://${statuspage}`,
    TOCSIN_NOTIFIER_URL: `http://${notifier}`,
  });
  const running = await createService(config, createRuntime('gateway', { logLevel: 'error' }));
  return {
    url: `http://127.0.0.1:${running.port}`,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

function send(replica: number, method: string, path: string, body?: object, headers = {}, as = key): Promise<Answer> {
  return createApi(origins[replica % 2] ?? '', as).send(method, `/api/v1${path}`, body, headers);
}

const shop = (name = 'Shop') => ({
  name,
  check_type: 'http',
  config: { url: 'http://127.0.0.1:9/' },
  enabled: false,
  alert_channel_ids: [],
});

async function create(replica: number, name?: string): Promise<string> {
  const { status, body } = await send(replica, 'POST', '/monitors', shop(name));
  expect(status).toBe(201);
  return (body as { data: { id: string } }).data.id;
}

test('a change at one gateway is visible at the other at once, with the same ETag', async () => {
  for (const replica of [0, 1]) {
    const path = `/monitors/${await create(replica)}`;
    const other = await send(replica + 1, 'GET', path);
    expect(other.text).toBe((await send(replica, 'GET', path)).text);
    const headers = { 'if-none-match': other.headers.get('etag') ?? '' };
    expect(await send(replica, 'GET', path, undefined, headers)).toMatchObject({ status: 304, text: '' });
    await send(replica, 'PATCH', path, { name: 'Changed' });
    expect(await send(replica + 1, 'GET', path, undefined, headers)).toMatchObject({
      status: 200,
      body: { data: { name: 'Changed' } },
    });
  }
});

test('pages of a filtered list can come from different gateways', async () => {
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) made.unshift(await create(index, `Page ${index}`));
  const seen: string[] = [];
  let next: string | undefined = '/monitors?q=Page&enabled=false&limit=2';
  for (let replica = 0; next; replica += 1) {
    const { headers, body } = await send(replica, 'GET', next);
    seen.push(...(body as { data: { id: string }[] }).data.map(({ id }) => id));
    next = /^<\/api\/v1(\S+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(made);
});

test('a POST that is repeated at the other gateway with its idempotency key gets the stored response', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await send(0, 'POST', '/monitors', shop(), headers);
  const again = await send(1, 'POST', '/monitors', shop(), headers);
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await send(1, 'POST', '/monitors', shop('Other'), headers)).toMatchObject({ status: 422 });
});

test('both gateways together enforce the rate limit of a credential', async () => {
  const path = `/monitors/${await create(0)}/state`;
  const responses = await Promise.all(Array.from({ length: 24 }, (_, replica) => send(replica, 'GET', path)));
  // A minute may end during the requests. Five requests are allowed in each minute.
  for (const [, inMinute] of Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset'))) {
    const letIn = inMinute.filter(({ status }) => status === 200);
    expect(letIn).toHaveLength(Math.min(5, inMinute.length));
    for (const { status } of inMinute.filter((response) => !letIn.includes(response))) expect(status).toBe(429);
  }
  expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});

test('a key that was revoked at one gateway is refused at both', async () => {
  const made = await send(0, 'POST', '/api-keys', { name: 'Short-lived', permissions: ['monitors:read'] });
  const { id, key: secret } = (made.body as { data: { id: string; key: string } }).data;
  const asIt = (replica: number) => send(replica, 'GET', '/me', undefined, {}, secret);
  expect([(await asIt(0)).status, (await asIt(1)).status]).toEqual([200, 200]);
  expect(await send(0, 'DELETE', `/api-keys/${id}`)).toMatchObject({ status: 204 });
  await eventually(async () => expect([(await asIt(0)).status, (await asIt(1)).status]).toEqual([401, 401]));
});

test.each(['revocation', 'reuse'])(
  'an access token is refused at both gateways within a second of its %s',
  async (how) => {
    const server = await discover(network.baseUrl);
    const owner = await signIn(network);
    const access = { organization: network.installation.bootstrap.organization.uuid, permissions: ['monitors:read'] };
    const { access_token: token, refresh_token: refreshToken = '' } = await tokensByCode(server, owner, access);
    const asIt = async (replica: number) => (await send(replica, 'GET', '/me', undefined, {}, token)).status;
    expect([await asIt(0), await asIt(1)]).toEqual([200, 200]);
    const refresh = () => oauth.refreshTokenGrantRequest(server, CLI, oauth.None(), refreshToken, INSECURE);
    if (how === 'reuse') {
      expect([(await refresh()).status, (await refresh()).status]).toEqual([200, 400]);
    } else await oauth.revocationRequest(server, CLI, oauth.None(), token, INSECURE);
    const revokedAt = performance.now();
    await eventually(async () => expect([await asIt(0), await asIt(1)]).toEqual([401, 401]));
    expect(performance.now() - revokedAt).toBeLessThan(1_000);
  },
);
