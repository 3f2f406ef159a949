import { expect, test } from 'vitest';
import { type Reply, runCommand, startFakeApi } from '../../test/harness.ts';

const monitor = { id: '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f', name: 'Shop', check_type: 'http', current_state: 'up' };

/**
 * Starts a server that sends these replies one after another. Returns the server and the environment with which a
 * command uses the server.
 */
async function withReplies(...replies: (Reply | undefined)[]) {
  const queue = [...replies];
  const api = await startFakeApi(() => queue.shift());
  return { api, env: { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'tocsin_key', TOCSIN_CONFIG_DIR: '/nonexistent' } };
}

const refusal = (status: number, type: string, message: string, errors?: object): Reply => ({
  status,
  body: { error: { type, message, ...(errors && { errors }) } },
});

test('all pages of a list are read', async () => {
  const link = '<http://elsewhere.example/api/v1/monitors?limit=1000&cursor=abc>; rel="next"';
  const { api, env } = await withReplies(
    { body: { data: [monitor] }, headers: { link } },
    { body: { data: [{ ...monitor, name: 'Mail' }] } },
  );
  await using _ = api;
  const { code, stdout } = await runCommand(['monitors', 'list', '--json'], env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([monitor, { ...monitor, name: 'Mail' }]);
  expect(api.requests.map(({ path }) => path)).toEqual([
    '/api/v1/monitors?limit=1000',
    '/api/v1/monitors?limit=1000&cursor=abc',
  ]);
  expect(api.requests[0]?.headers.authorization).toBe('Bearer tocsin_key');
});

test.each([refusal(429, 'rate_limited', 'too many'), refusal(503, 'unavailable', 'later')])(
  'a creation that gets $status is repeated with the same idempotency key after the delay in retry-after',
  async (refused) => {
    const later = { ...refused, headers: { 'retry-after': '7' } };
    const { api, env } = await withReplies(later, { status: 201, body: { data: monitor } });
    await using _ = api;
    const { code, waits } = await runCommand(['monitors', 'create', 'name=Shop'], env);
    expect({ code, waits }).toEqual({ code: 0, waits: [7_000] });
    const [first, second] = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
  },
);

test('a read is repeated after a 503 and after a broken connection', async () => {
  const { api, env } = await withReplies(refusal(503, 'unavailable', 'later'), undefined, { body: { data: [] } });
  await using _ = api;
  expect(await runCommand(['monitors', 'list'], env)).toMatchObject({ code: 0, waits: [1_000, 1_000] });
});

test('a change is not repeated after a 503', async () => {
  const { api, env } = await withReplies(refusal(503, 'unavailable', 'later'));
  await using _ = api;
  const ran = await runCommand(['monitors', 'update', monitor.id, 'name=Mail'], env);
  expect(ran).toMatchObject({ code: 3, waits: [], stderr: expect.stringContaining('returned 503: later') });
});

test.each([
  [
    refusal(422, 'validation_error', 'name is required', { name: ['is required'] }),
    1,
    'Refused (422): name is required',
  ],
  [refusal(403, 'forbidden', 'needs monitors:read_write'), 1, 'needs monitors:read_write'],
  [refusal(404, 'not_found', 'there is no such monitor'), 1, 'there is no such monitor'],
  [refusal(401, 'invalid_api_key', 'the key was revoked'), 4, 'Sign in with: tocsin login'],
  [refusal(500, 'internal_error', 'our fault'), 3, 'returned 500: our fault'],
  [{ status: 404, body: 'not Tocsin' }, 3, 'Is the URL right?'],
  [{ status: 302, headers: { location: 'https://b.example/' } }, 3, 'redirects to https://b.example/'],
])('the response %j leads to exit code %i', async (reply, code, message) => {
  const { api, env } = await withReplies(reply);
  await using _ = api;
  const ran = await runCommand(['monitors', 'create', 'name=x'], env);
  expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
});

test('a command exits with code 3 if the installation is not running', async () => {
  const { api, env } = await withReplies();
  await api[Symbol.asyncDispose]();
  const ran = await runCommand(['monitors', 'list'], env);
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining("can't be reached") });
});

test('the message about many invalid fields lists all of them', async () => {
  const errors = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, ['is required']]));
  const { api, env } = await withReplies(refusal(422, 'validation_error', 'a is required and 5 more', errors));
  await using _ = api;
  const { stderr } = await runCommand(['monitors', 'create', 'name=x'], env);
  expect(stderr).toContain('\n  f is required\n');
});

test('a name that two resources share is refused, and the message asks for an id', async () => {
  const { api, env } = await withReplies({ body: { data: [monitor, { ...monitor, id: 'other' }] } });
  await using _ = api;
  const ran = await runCommand(['monitors', 'get', 'Shop'], env);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`Use an id:\n  ${monitor.id}\n  other`) });
});

test('a change to one config field sends the whole config', async () => {
  const stored = { ...monitor, config: { url: 'https://a.example', method: 'GET' } };
  const { api, env } = await withReplies({ body: { data: stored } }, { body: { data: stored } });
  await using _ = api;
  await runCommand(['monitors', 'update', monitor.id, 'config.method=HEAD'], env);
  expect(JSON.parse(api.requests[1]?.body ?? '')).toEqual({ config: { url: 'https://a.example', method: 'HEAD' } });
});
