import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Reply, runCommand, type SeenRequest, startFakeApi } from '../../test/harness.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * Returns an authorization server that issues numbered tokens, together with an API that accepts only the latest access
 * token.
 */
function authorizationServer(options: { pending?: Reply[]; expiresIn?: number; issuer?: string } = {}) {
  const pending = [...(options.pending ?? [])];
  let issued = 0;
  const state = { revoked: [] as string[], refreshing: 0, isExpired: false };
  const tokens = (): Reply => {
    issued += 1;
    state.isExpired = false;
    return {
      body: { access_token: `a${issued}`, refresh_token: `r${issued}`, expires_in: options.expiresIn ?? 3_600 },
    };
  };
  function answer({ path, headers, body }: SeenRequest): Reply {
    const url = `http://${headers.host}`;
    if (path === '/.well-known/oauth-authorization-server') {
      return {
        body: {
          issuer: options.issuer ?? url,
          device_authorization_endpoint: `${url}/oauth/device/code`,
          token_endpoint: `${url}/oauth/token`,
          revocation_endpoint: `${url}/oauth/revoke`,
        },
      };
    }
    if (path === '/oauth/device/code') {
      const verification_uri_complete = `${url}/oauth/device?user_code=ABCD-EFGH`;
      return { body: { device_code: 'd', user_code: 'ABCD-EFGH', verification_uri_complete, interval: 5 } };
    }
    if (path === '/oauth/token') {
      const { grant_type, refresh_token } = JSON.parse(body) as Record<string, string>;
      if (grant_type !== 'refresh_token') return pending.shift() ?? tokens();
      state.refreshing += 1;
      return refresh_token === `r${issued}` ? tokens() : { status: 400, body: { error: 'invalid_grant' } };
    }
    if (path === '/oauth/revoke') {
      state.revoked.push((JSON.parse(body) as { token: string }).token);
      return {};
    }
    if (state.isExpired || headers.authorization !== `Bearer a${issued}`) {
      return { status: 401, body: { error: { type: 'invalid_api_key', message: 'expired' } } };
    }
    const me = { organization: { name: 'Acme' }, credential: { name: 'CLI', kind: 'oauth', permissions: [] } };
    return { body: { data: path === '/api/v1/me' ? me : [] } };
  }
  return { answer, state };
}

const error = (name: string): Reply => ({ status: 400, body: { error: name } });

test('login polls until the user confirms, polls more slowly if the server asks for it, and stores the tokens in a private file', async () => {
  const { answer } = authorizationServer({ pending: [error('authorization_pending'), error('slow_down')] });
  await using api = await startFakeApi(answer);
  const env = { TOCSIN_CONFIG_DIR: folder };
  const ran = await runCommand(['login', '--url', api.url], env);
  expect(ran).toMatchObject({ code: 0, stdout: '', waits: [5_000, 5_000, 10_000] });
  expect(ran.stderr).toContain('confirm the code ABCD-EFGH');
  expect(ran.stderr).toContain('Signed in to Acme');
  const file = join(folder, 'config.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    current: api.url,
    credentials: { [api.url]: { kind: 'oauth', accessToken: 'a1', refreshToken: 'r1' } },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // The URL of the last sign-in is the default.
  expect(await runCommand(['whoami'], env)).toMatchObject({ code: 0, stdout: expect.stringContaining('Acme') });
});

test.each([
  ['access_denied', 'Access was not allowed'],
  ['expired_token', 'The code expired'],
])('a sign-in that ends with %s stores nothing', async (name, message) => {
  const { answer } = authorizationServer({ pending: [error(name)] });
  await using api = await startFakeApi(answer);
  const ran = await runCommand(['login', '--url', api.url], { TOCSIN_CONFIG_DIR: folder });
  expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining(message) });
  await expect(stat(join(folder, 'config.json'))).rejects.toThrow('ENOENT');
});

test('login is refused if the installation states a different URL', async () => {
  const { answer } = authorizationServer({ issuer: 'https://tocsin.example.com' });
  await using api = await startFakeApi(answer);
  const ran = await runCommand(['login', '--url', api.url], { TOCSIN_CONFIG_DIR: folder });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('login --url https://tocsin.example.com') });
});

test('concurrent requests and commands renew a token only once', async () => {
  const { answer, state } = authorizationServer();
  await using api = await startFakeApi(answer);
  const env = { TOCSIN_CONFIG_DIR: folder };
  await runCommand(['login', '--url', api.url], env);
  state.isExpired = true;
  // The command reads three lists at the same time.
  expect(await runCommand(['export'], env)).toMatchObject({ code: 0 });
  expect(state.refreshing).toBe(1);
  state.isExpired = true;
  const results = await Promise.all([1, 2, 3].map(() => runCommand(['monitors', 'list'], env)));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(state.refreshing).toBe(2);
});

test('a token that is about to expire is renewed before it is used', async () => {
  const { answer, state } = authorizationServer({ expiresIn: 50 });
  await using api = await startFakeApi(answer);
  const env = { TOCSIN_CONFIG_DIR: folder };
  await runCommand(['login', '--url', api.url], env);
  expect(await runCommand(['monitors', 'list'], env)).toMatchObject({ code: 0 });
  expect(state.refreshing).toBe(1);
  const refused = api.requests.filter(
    ({ path, headers }) => path.startsWith('/api/v1/monitors') && headers.authorization === 'Bearer a1',
  );
  expect(refused).toEqual([]);
});

test('a command exits with code 4 if both its access token and its refresh token are refused', async () => {
  const { answer } = authorizationServer();
  await using api = await startFakeApi((request) =>
    request.path.startsWith('/api/v1/monitors')
      ? { status: 401, body: { error: { type: 'invalid_api_key', message: 'the access has ended' } } }
      : request.body.includes('refresh_token')
        ? error('invalid_grant')
        : answer(request),
  );
  const env = { TOCSIN_CONFIG_DIR: folder };
  await runCommand(['login', '--url', api.url], env);
  expect(await runCommand(['monitors', 'list'], env)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('the access has ended'),
  });
});

test('logout revokes the refresh token and deletes it', async () => {
  const { answer, state } = authorizationServer();
  await using api = await startFakeApi(answer);
  const env = { TOCSIN_CONFIG_DIR: folder };
  await runCommand(['login', '--url', api.url], env);
  expect(await runCommand(['logout'], env)).toMatchObject({ code: 0 });
  expect(state.revoked).toEqual(['r1']);
  expect(await runCommand(['logout', '--url', api.url], env)).toMatchObject({ code: 4 });
});

test('login with an API key reads it from stdin, and stores it only if the API accepts it', async () => {
  await using api = await startFakeApi(({ headers }) =>
    headers.authorization === 'Bearer tocsin_good'
      ? { body: { data: { organization: { name: 'Acme' } } } }
      : { status: 401, body: { error: { type: 'invalid_api_key', message: 'unknown key' } } },
  );
  const env = { TOCSIN_CONFIG_DIR: folder };
  const login = ['login', '--url', api.url, '--api-key'];
  expect(await runCommand(login, env, 'tocsin_bad\n')).toMatchObject({ code: 4 });
  expect(await runCommand(['whoami', '--url', api.url], env)).toMatchObject({ code: 4 });
  expect(await runCommand(login, env, 'tocsin_good\n')).toMatchObject({ code: 0 });
  expect(await runCommand(['whoami'], env)).toMatchObject({ code: 0 });
  expect(await runCommand(login, env, '\n')).toMatchObject({ code: 2 });
});
