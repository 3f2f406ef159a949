import { createServer, type RequestListener } from 'node:http';
import { listen } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { runCheck } from '../src/app/run-check.ts';
import { httpProbe } from '../src/probes/http/http-probe.ts';
import { dialling } from './dialling.ts';
import { trustingGuard } from './trusting-guard.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const VALUE = 'Canary-0f8fad5b';
const probes = { http: httpProbe(dialling()) };

const JOB = { monitorId: 'm', organizationId: 'o', configVersion: 1 };

/** Runs a complete check of a monitor with the secret KEY. */
async function check(config: object, value = VALUE) {
  const secrets = new Map([['KEY', value]]);
  const configJson = JSON.stringify(config);
  const monitor = { monitorId: 'm', version: 1, checkType: 'http' as const, timeoutMs: 2_000, configJson, secrets };
  const now = new Date();
  const deps = { configs: { get: async () => monitor }, probes, connectivity: trustingGuard, now: () => now };
  const run = await runCheck(deps, { ...JOB, roundAt: now, startBefore: now });
  if (run.kind !== 'seen') throw new Error(`the check was ${run.kind}`);
  return run.observation;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => {
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const withSecret = { method: 'POST', headers: { authorization: 'Bearer {{KEY}}' }, body: '{"key":"{{KEY}}"}' };

test('the target gets the secret in headers and in the body', async () => {
  const got: unknown[] = [];
  const url = await serve(async (request, response) => {
    got.push(request.headers.authorization, (await request.toArray()).join(''));
    response.end();
  });
  expect(await check({ url, ...withSecret })).toMatchObject({ outcome: 'pass' });
  expect(got).toEqual([`Bearer ${VALUE}`, `{"key":"${VALUE}"}`]);
});

test.each<[string, RequestListener, object, string]>([
  [
    'redirects to a host that is named like the secret',
    (_, response) => response.writeHead(302, { location: `http://${VALUE}.invalid/` }).end(),
    {},
    '{{KEY}}.invalid',
  ],
  [
    'redirects to a URL whose scheme is the secret',
    (_, response) => response.writeHead(302, { location: `${VALUE}://x` }).end(),
    { expected_status_codes: [200] },
    'status 302, expected 200',
  ],
  [
    'sends the secret in its status line',
    (_, response) => response.writeHead(502, VALUE).end(),
    {},
    'status 502, expected 200 to 399',
  ],
  [
    'sends the secret in its body',
    (_, response) => response.end(`{{KEY}} ${VALUE}`),
    { unexpected_keyword: VALUE.toLowerCase().slice(0, 6), expected_keyword: 'absent' },
    'keyword "absent" is not in the body',
  ],
])('if the target %s, the result does not contain the secret', async (_, listener, config, error) => {
  const seen = await check({ url: await serve(listener), ...withSecret, ...config });
  expect(JSON.stringify(seen).toLowerCase()).not.toContain(VALUE.toLowerCase());
  expect(seen.error).toContain(error);
});

test('if a secret contains characters that are invalid in a header, the check fails and its error does not show the secret', async () => {
  const url = await serve((_request, response) => response.end());
  const seen = await check({ url, ...withSecret }, `${VALUE}\r\nInjected: yes`);
  expect(seen).toMatchObject({
    outcome: 'error',
    error: 'a header with a secret in it has line breaks or characters outside Latin-1, so it was not sent',
  });
  expect(JSON.stringify(seen)).not.toContain(VALUE);
});

test('a request that its secrets make too long is not sent, and the check fails with the reason', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.end();
  });
  const seen = await check({ url, method: 'POST', body: '{{KEY}}'.repeat(9_000) }, 'x'.repeat(8_192));
  expect(seen).toMatchObject({ outcome: 'fail', error: expect.stringContaining('refer to secrets less often') });
  expect(requests).toBe(0);
});
