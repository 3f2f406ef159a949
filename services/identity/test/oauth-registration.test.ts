import { afterAll, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { Browser } from './browser.ts';
import { authorization, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, urlOf } from './start-identity.ts';

const DAY_MS = 24 * 3_600_000;
const oauth = await oauthFixture();
const { organizationId, jane, query } = oauth;
afterAll(() => oauth[Symbol.asyncDispose]());

const CALLBACK = 'https://tool.example.com/callback';

const register = (metadata: object) => oauth.post('/oauth/register', { ...metadata }, { json: true });

async function newClient(): Promise<string> {
  const { status, body } = await register({ client_name: 'Tool', redirect_uris: [CALLBACK] });
  expect(status).toBe(201);
  return String(body.client_id);
}

const exists = async (id: string) => (await query('select from oauth_client where id = $1', id)).length === 1;

test('a client registers itself and gets tokens', async () => {
  const { status, body, headers } = await register({
    client_name: 'Tool',
    redirect_uris: [CALLBACK],
    logo_uri: 'https://tool.example.com/logo.png',
    token_endpoint_auth_method: 'client_secret_basic',
  });
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Tool',
      application_type: 'web',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  const client_id = String(body.client_id);
  const changes = { client_id, redirect_uri: CALLBACK };
  const shown = await jane.visit(await oauth.requestAccess(jane, changes));
  expect(shown.text).toContain('This program registered itself');
  expect(shown.text).toContain('tool.example.com');
  const { code, verifier } = await oauth.authorize(jane, {
    organization: organizationId,
    scopes: ['monitors:read'],
    ...changes,
  });
  expect(await oauth.exchangeCode(code, verifier, changes)).toMatchObject({ status: 200 });
});

test("the token endpoint accepts requests from scripts on the client's own site, and refuses requests from scripts on other sites", async () => {
  const client_id = await newClient();
  const from = (origin: string) =>
    oauth.post('/oauth/token', { client_id, grant_type: 'refresh_token', refresh_token: 'x' }, { headers: { origin } });
  const own = await from('https://tool.example.com');
  expect(own).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect(own.headers.get('access-control-allow-origin')).toBe('https://tool.example.com');
  const other = await from('https://evil.example.com');
  expect(other).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = await fetch(`${urlOf(oauth.identity)}/oauth/token`, {
    method: 'OPTIONS',
    headers: { origin: 'https://tool.example.com', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
});

test.each([
  ['no redirect URI', { grant_types: ['authorization_code'] }, 'invalid_redirect_uri'],
  ['an http URL', { redirect_uris: ['http://tool.example.com/'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a text instead of a list of redirect URIs', { redirect_uris: 'x' }, 'invalid_redirect_uri'],
  ['a long name', { client_name: 'x'.repeat(101), redirect_uris: [CALLBACK] }, 'invalid_client_metadata'],
  ['an unknown grant type', { grant_types: ['password'], redirect_uris: [CALLBACK] }, 'invalid_client_metadata'],
])('a registration with %s is refused', async (_, metadata, error) => {
  expect(await register(metadata)).toMatchObject({ status: 400, body: { error } });
});

test('a registered client is deleted after a day if no user allows it, and otherwise after its grants are deleted', async () => {
  const [unused, used] = [await newClient(), await newClient()];
  await oauth.authorize(jane, {
    organization: organizationId,
    scopes: ['monitors:read'],
    client_id: used,
    redirect_uri: CALLBACK,
  });
  const deleteAt = async (ms: number) => {
    while ((await deleteOld({ database: oauth.tables, now: () => new Date(ms) })) === 'again');
  };
  await deleteAt(Date.now() + DAY_MS - 60_000);
  expect([await exists(unused), await exists(used)]).toEqual([true, true]);
  await deleteAt(Date.now() + DAY_MS);
  expect([await exists(unused), await exists(used)]).toEqual([false, true]);
  await deleteAt(Date.now() + 30 * DAY_MS);
  await deleteAt(Date.now() + 30 * DAY_MS);
  expect(await exists(used)).toBe(false);
});

test('only the newest 1,000 clients that no user has allowed are stored', async () => {
  await query(
    'delete from oauth_client where not exists (select from oauth_grant g where g.client_id = oauth_client.id)',
  );
  const oldest = await newClient();
  // The clock of the service may be ahead of the database's by some milliseconds.
  await query(
    `insert into oauth_client (id, metadata, created_at)
     select 'client-' || i, '{}', now() + interval '1 second' from generate_series(1, 998) i`,
  );
  await newClient();
  expect(await exists(oldest)).toBe(true);
  await newClient();
  expect(await exists(oldest)).toBe(false);
});

test('the metadata documents describe the server and the API', async () => {
  const read = async (path: string) => {
    const response = await fetch(urlOf(oauth.identity) + path);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    return response.json();
  };
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    issuer: BASE_URL,
    token_endpoint: `${BASE_URL}/oauth/token`,
    registration_endpoint: `${BASE_URL}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  });
  expect(await read('/.well-known/oauth-protected-resource')).toMatchObject({
    resource: BASE_URL,
    authorization_servers: [BASE_URL],
  });
});

test('registration can be switched off', async () => {
  const id = await newClient();
  const closed = await oauth.fixture.start({ oauthRegistration: false });
  const response = await fetch(`${urlOf(closed)}/oauth/register`, { method: 'POST' });
  expect(response.status).toBe(404);
  const metadata = await fetch(`${urlOf(closed)}/.well-known/oauth-authorization-server`);
  expect(await metadata.json()).not.toHaveProperty('registration_endpoint');
  // Clients that registered before can still be used.
  const { query: params } = authorization({ client_id: id, redirect_uri: CALLBACK });
  expect((await jane.visit(`/oauth/authorize?${params}`)).status).toBe(303);
});

test.each([
  ['text/plain', 'x', 415],
  ['application/json', '{', 400],
  ['application/json', '[]', 400],
  ['application/json', JSON.stringify({ client_id: 'x'.repeat(16_384) }), 413],
])('a body of type %s that is too large or has a wrong format is refused', async (type, body, status) => {
  for (const path of ['/oauth/token', '/oauth/register', '/oauth/device/code']) {
    const response = await fetch(urlOf(oauth.identity) + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status, path).toBe(status);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
  }
});

test('a request with a malformed client id gets the error for an unknown client, and no failure is logged', async () => {
  const { query: params } = authorization({ client_id: '\0', redirect_uri: CALLBACK });
  const browser = await oauth.signIn('jane@example.com');
  const page = await browser.visit(`/oauth/authorize?${params}`);
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining('invalid_client') });
  for (const path of ['/oauth/token', '/oauth/device/code', '/oauth/revoke', '/oauth/introspect']) {
    const { status, body } = await oauth.post(path, { client_id: '\0', grant_type: 'refresh_token', token: 'x' });
    expect({ status, body }, path).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  }
  expect(oauth.fixture.logged.filter((line) => line.includes('an OAuth request failed'))).toEqual([]);
});

test.each([
  ['nobody is signed in', { prompt: 'none' }, 'login_required'],
  ['the scope is unknown', { scope: 'openid' }, 'invalid_scope'],
  ['there is no challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['the error is in the fragment', { response_type: 'token' }, 'invalid_request'],
])('if %s, the user of a self-registered client gets a link instead of a redirect', async (_, changes, error) => {
  const { body } = await register({ client_name: '<b>Tool', redirect_uris: ['https://tool.example.com/x?y=1'] });
  const request = { client_id: String(body.client_id), redirect_uri: 'https://tool.example.com/x?y=1', ...changes };
  const { query: params } = authorization(request);
  const browser = error === 'login_required' ? new Browser(oauth.identity) : await oauth.signIn('jane@example.com');
  const page = await browser.visit(`/oauth/authorize?${params}`);
  expect(page).toMatchObject({ status: 400, location: undefined });
  expect(page.text).toContain(`(${error})`);
  expect(page.text).toContain('registered itself as “&lt;b&gt;Tool”');
  expect(page.text).toContain('Continue to tool.example.com</a>');
  const link = /href="(https:[^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(link).toMatch(/^https:\/\/tool\.example\.com\/x\?y=1[&#]/);
  expect(link).toContain(`error=${error}`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
});
