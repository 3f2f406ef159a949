import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

const HOST = '127.0.0.2';
const LIMIT = 3;

let network: Network;
let baseUrl: string;
beforeAll(async () => {
  network = await startNetwork({
    TOCSIN_HOST: HOST,
    TOCSIN_RATE_LIMIT_FAILED_CREDENTIALS: String(LIMIT),
    TOCSIN_CORS_ORIGINS: 'https://dashboard.example.com',
  });
  baseUrl = network.baseUrl.replace('127.0.0.1', HOST);
});
afterAll(() => network?.[Symbol.asyncDispose]());

const me = (key: string | undefined, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${key}`, ...headers } });

test('with TOCSIN_HOST, the gateway listens on that address, and metrics stay on loopback', async () => {
  expect((await fetch(`${baseUrl}/openapi.yaml`)).status).toBe(200);
  const admin = network.installation.bootstrap.admin.gateway ?? '';
  expect((await fetch(`http://${admin}/metrics`)).status).toBe(200);
  await expect(fetch(`http://${admin.replace('127.0.0.1', HOST)}/metrics`)).rejects.toThrow();
});

test('scripts of a configured origin may read responses, and scripts of other origins may not', async () => {
  const allowed = (response: Response) => response.headers.get('access-control-allow-origin');
  const origin = 'https://dashboard.example.com';
  const key = network.installation.bootstrap.api_key;
  expect(allowed(await me(key, { origin }))).toBe(origin);
  expect(allowed(await me(key, { origin: 'https://evil.example' }))).toBeNull();
  const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };
  const preflight = await fetch(`${baseUrl}/api/v1/monitors`, { method: 'OPTIONS', headers });
  expect(preflight.status).toBe(204);
  expect(allowed(preflight)).toBe(origin);
});

test('an address that sends too many unknown credentials gets a 429, except with credentials that it used successfully before', async () => {
  const { api_key: key } = network.installation.bootstrap;
  expect((await me(key)).status).toBe(200);
  const guess = (index: number) => me(`tocsin_${String(index).padStart(49, '0')}`);
  for (let index = 0; index < LIMIT; index += 1) expect((await guess(index)).status).toBe(401);
  const refused = await guess(LIMIT);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ error: { type: 'rate_limited' } });
  expect((await me(key)).status).toBe(200);
});

test('an address that sends too many unknown heartbeat tokens gets a 429, except with tokens that it used successfully before', async () => {
  const ping = (token: string) => fetch(`${baseUrl}/api/heartbeat/${token}`, { method: 'POST' });
  const tokens: string[] = [];
  for (const name of ['Known', 'New']) {
    const response = await fetch(`${baseUrl}/api/v1/monitors`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${network.installation.bootstrap.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name, check_type: 'heartbeat', config: {} }),
    });
    const { data } = (await response.json()) as { data: { heartbeat_token: string } };
    tokens.push(data.heartbeat_token);
  }
  const [known = '', fresh = ''] = tokens;
  expect((await ping(known)).status).toBe(200);
  const guess = (index: number) => ping(String(index).padStart(32, '0'));
  for (let index = 0; index < LIMIT; index += 1) expect((await guess(index)).status).toBe(404);
  for (const refused of [await guess(LIMIT), await ping(fresh)]) {
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({ error: 'rate_limited' });
  }
  expect((await ping(known)).status).toBe(200);
});
