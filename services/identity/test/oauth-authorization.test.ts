import { afterAll, expect, test } from 'vitest';
import { Browser, pathOf } from './browser.ts';
import { authorization, CALLBACK, FIELD_CLIENT, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, clientsOf, urlOf } from './start-identity.ts';

const oauth = await oauthFixture();
const { organizationId, jane, query } = oauth;
const gateway = clientsOf(oauth.identity, 'gateway').identity;
afterAll(() => oauth[Symbol.asyncDispose]());

const READ = ['monitors:read'];

const exchange = (secret: unknown) => gateway.exchangeCredential({ secret: String(secret), audiences: ['monitor'] });

const grantOf = async (secret: unknown) => (await exchange(secret)).credential?.id ?? '';

test.each([
  ['the method plain', { code_challenge_method: 'plain' }],
  ['no method', { code_challenge_method: '' }],
  ['no challenge', { code_challenge: '', code_challenge_method: '' }],
])('an authorization request with %s in its PKCE parameters is refused', async (_, changes) => {
  const { location } = await jane.visit(`/oauth/authorize?${authorization(changes).query}`);
  const callback = new URL(location ?? '');
  expect(callback.origin + callback.pathname).toBe(CALLBACK);
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({
    error: 'invalid_request',
    state: 'state-1',
    iss: BASE_URL,
  });
});

test.each([
  ['another response type', { response_type: 'token' }, 'invalid_request'],
  ['an id token', { response_type: 'code id_token', nonce: 'n' }, 'invalid_request'],
  ['the response mode fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
  ['the response mode form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ['a request to sign in again', { prompt: 'login' }, 'invalid_request'],
])('an authorization request with %s is refused', async (_, changes, error) => {
  const { location = '' } = await jane.visit(`/oauth/authorize?${authorization(changes).query}`);
  const callback = new URL(location.replace('#', '?'));
  expect(callback.origin + callback.pathname).toBe(CALLBACK);
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({ error, state: 'state-1', iss: BASE_URL });
});

test('the parameter `resource` is ignored, because all tokens are valid for the same API', async () => {
  const resource = BASE_URL;
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ, resource });
  expect(await oauth.exchangeCode(code, verifier, { resource })).toMatchObject({ status: 200 });
});

test.each([
  ['an unknown client', { client_id: 'nobody' }],
  ['a redirect URI of another site', { redirect_uri: 'https://evil.example.com/callback' }],
  ['another path of the loopback interface', { redirect_uri: 'http://127.0.0.1:8976/other' }],
  [
    'another port of a web client',
    { client_id: FIELD_CLIENT.id, redirect_uri: 'https://app.example.com:8443/callback' },
  ],
  ['a longer path of a web client', { client_id: FIELD_CLIENT.id, redirect_uri: 'https://app.example.com/callback/x' }],
])('an authorization request with %s shows an error and does not redirect', async (_, changes) => {
  const { status, location, text, headers } = await jane.visit(`/oauth/authorize?${authorization(changes).query}`);
  expect({ status, location }).toEqual({ status: 400, location: undefined });
  expect(text).toContain('This request for access does not work');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});

test.each([
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:65535/callback',
  'http://localhost:5/callback',
])('a native client may redirect to %s', async (redirect) => {
  const callback = await oauth.authorize(jane, { organization: organizationId, scopes: READ, redirect_uri: redirect });
  expect(callback.callback.href.startsWith(`${redirect}?`)).toBe(true);
  const { status } = await oauth.exchangeCode(callback.code, callback.verifier, { redirect_uri: redirect });
  expect(status).toBe(200);
});

test('a user who is not signed in is redirected to the sign-in page, with the request in the parameter `next`', async () => {
  const path = `/oauth/authorize?${authorization().query}`;
  const { status, location } = await new Browser(oauth.identity).visit(path);
  expect({ status, location }).toEqual({ status: 303, location: `/sign-in?next=${encodeURIComponent(path)}` });
});

test('if a request is too long to be continued after signing in, the page says that the user must sign in first', async () => {
  const visit = (browser: Browser, length: number) => {
    const path = `/oauth/authorize?${authorization({ state: '' }).query}&state=`;
    return browser.visit(path + 'x'.repeat(length - path.length));
  };
  expect((await visit(new Browser(oauth.identity), 2_000)).status).toBe(303);
  const { status, text } = await visit(new Browser(oauth.identity), 2_001);
  expect({ status, text }).toMatchObject({ status: 401, text: expect.stringContaining('Sign in first') });
  expect((await visit(jane, 2_001)).location).toMatch(/\/oauth\/consent\//);
});

test('a request with prompt=none gets an error, because the user must sign in or decide', async () => {
  const { query: params } = authorization({ prompt: 'none' });
  const error = async (browser: Browser) =>
    new URL((await browser.visit(`/oauth/authorize?${params}`)).location ?? '').searchParams.get('error');
  expect(await error(new Browser(oauth.identity))).toBe('login_required');
  expect(await error(jane)).toBe('interaction_required');
});

test('the consent page shows the client, the destination, the organization and each permission', async () => {
  const scope = 'monitors:read api_keys:read_write';
  const { text, headers } = await jane.visit(await oauth.requestAccess(jane, { scope }));
  expect(text).toContain('Tocsin command line');
  expect(text).toContain('a program on this computer');
  expect(text).toContain('Acme');
  expect([...text.matchAll(/name="scope" value="([^"]*)" checked/g)].map(([, name]) => name)).toEqual(scope.split(' '));
  expect(headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:8976;");
  expect(headers.get('content-security-policy')).not.toContain('script');
});

test('a user can grant fewer permissions than the client requests', async () => {
  const { verifier, query: params } = authorization({ scope: 'monitors:read_write incidents:read' });
  const consent = (await jane.visit(`/oauth/authorize?${params}`)).location ?? '';
  const callback = await oauth.decide(jane, consent, [
    ['decision', 'allow'],
    ['organization', organizationId],
    ['scope', 'incidents:read'],
    ['scope', 'api_keys:read_write'],
  ]);
  const { body } = await oauth.exchangeCode(callback.searchParams.get('code') ?? '', verifier);
  expect(body).toMatchObject({ scope: 'incidents:read' });
  expect((await exchange(body.access_token)).credential?.permissions).toEqual(['incidents:read']);
});

test('a request without a scope asks for all permissions, and unknown scopes are ignored', async () => {
  const asked = async (scope: string) => {
    const { text } = await jane.visit(await oauth.requestAccess(jane, { scope }));
    return [...text.matchAll(/name="scope" value="([^"]*)"/g)].map(([, name]) => name);
  };
  expect(await asked('')).toHaveLength(6);
  expect(await asked('openid offline_access monitors:read')).toEqual(['monitors:read']);
  const { location } = await jane.visit(`/oauth/authorize?${authorization({ scope: 'openid' }).query}`);
  expect(new URL(location ?? '').searchParams.get('error')).toBe('invalid_scope');
});

test('a client gets an error if the user denies access', async () => {
  const callback = await oauth.decide(jane, await oauth.requestAccess(jane), [['decision', 'deny']]);
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'state-1',
    iss: BASE_URL,
  });
});

test('a consent form that the browser sends twice creates one grant', async () => {
  const consent = await oauth.requestAccess(jane);
  const form = { decision: 'allow', organization: organizationId, scope: 'monitors:read' };
  const grants = async () => Number((await query('select count(*) as count from oauth_grant'))[0]?.count);
  const before = await grants();
  const [first, second] = [await jane.post(consent, form), await jane.post(consent, form)];
  expect([first.status, second.status, second.location]).toEqual([303, 303, first.location]);
  expect(await grants()).toBe(before + 1);
  expect((await jane.visit(pathOf(second.location ?? ''))).location).toMatch(/[?&]code=/);
});

test('consent is refused if the organization or the permission is missing or not available', async () => {
  const consent = await oauth.requestAccess(jane);
  const other = await oauth.createOrganization('Other', 'bob@example.com');
  for (const form of [
    { decision: 'allow', scope: 'monitors:read' },
    { decision: 'allow', scope: 'monitors:read', organization: other },
    { decision: 'allow', organization: organizationId },
    { decision: 'allow', organization: organizationId, scope: 'incidents:read' },
  ]) {
    const { status, text } = await jane.visit(consent, { form: new URLSearchParams(form as Record<string, string>) });
    expect(status).toBe(422);
    expect(text).toMatch(/role="alert">Choose (an organization|at least one permission)/);
  }
});

test('only the user who made an authorization request can decide about it', async () => {
  await oauth.createOrganization('Eve', 'eve@example.com');
  const eve = await oauth.signIn('eve@example.com');
  const consent = await oauth.requestAccess(jane);
  expect((await eve.visit(consent)).status).toBe(410);
  expect((await eve.post(consent, { decision: 'deny' })).status).toBe(410);
  expect((await jane.visit(consent)).status).toBe(200);
  expect((await jane.visit(`${consent.slice(0, -1)}~`)).status).toBe(410);
});

test.each(['https://tocsin.example.com', 'https://example.com/tocsin'])(
  'with the public URL %s, all URLs begin with this URL, and all cookies are secure',
  async (baseUrl) => {
    const secure = await oauth.fixture.start({ baseUrl });
    const { origin, pathname } = new URL(baseUrl);
    const prefix = pathname === '/' ? '' : pathname;
    const local = (url = '') => {
      expect(url.startsWith(`${origin}${prefix}/`) || url.startsWith(`${prefix}/`), url).toBe(true);
      return url.replace(origin, '').slice(prefix.length);
    };
    const browser = new Browser(secure);
    const { url } = await clientsOf(secure, 'admin').admin.createSignInLink({ email: 'jane@example.com' });
    expect((await browser.visit(local(url), { form: {}, origin })).status).toBe(303);
    const { verifier, query: params } = authorization();
    const started = await browser.visit(`/oauth/authorize?${params}`);
    const cookies = started.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['tocsin-oauth', 'tocsin-oauth-resume']);
    for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax; secure; httponly$/i);
    const form = { decision: 'allow', organization: organizationId, scope: 'monitors:read' };
    const decided = await browser.visit(local(started.location), { form, origin });
    const callback = new URL((await browser.visit(local(decided.location))).location ?? '');
    expect(callback.searchParams.get('iss')).toBe(baseUrl);
    expect(await oauth.exchangeCode(callback.searchParams.get('code') ?? '', verifier)).toMatchObject({ status: 200 });
    const device = await fetch(`${urlOf(secure)}/oauth/device/code`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'tocsin-cli' }),
    });
    expect(await device.json()).toMatchObject({ verification_uri: `${baseUrl}/oauth/device` });
  },
);

test('when a user grants access, the audit log records the client, the permissions, the user and the IP address', async () => {
  const { access_token } = await oauth.tokensOf(jane, organizationId, READ);
  const [entry] = await query('select * from audit_log where target_id = $1', await grantOf(access_token));
  const [session] = await query(
    `select s.id from session s join app_user u on u.id = s.user_id where u.email = 'jane@example.com'`,
  );
  expect(entry).toMatchObject({
    action: 'oauth_grant.created',
    actor: 'jane@example.com',
    address: jane.address,
    credential_id: session?.id,
  });
  expect(JSON.parse(String(entry?.details))).toEqual({
    client_id: 'tocsin-cli',
    client_name: 'Tocsin command line',
    permissions: READ,
  });
});

test('a user without an organization can only deny access', async () => {
  const alone = await oauth.createOrganization('Alone', 'alone@example.com');
  const user = await oauth.signIn('alone@example.com');
  await query('delete from membership where organization_id = $1', alone);
  const consent = await oauth.requestAccess(user);
  const { text } = await user.visit(consent);
  expect(text).toContain('You are not a member of any organization');
  expect(text).not.toContain('value="allow"');
  const form = { decision: 'allow', organization: alone, scope: 'monitors:read' };
  expect((await user.post(consent, form)).status).toBe(422);
  const callback = await oauth.decide(user, consent, [['decision', 'deny']]);
  expect(callback.searchParams.get('error')).toBe('access_denied');
});

test('the steps of an access request may be handled by different replicas', async () => {
  const second = await oauth.fixture.start();
  const [here, there] = [jane, new Browser(second)];
  const { verifier, query: params } = authorization();
  const consent = (await here.visit(`/oauth/authorize?${params}`)).location ?? '';
  for (const [name, value] of here.cookies) there.store(name, value);
  const form = { decision: 'allow', organization: organizationId, scope: 'monitors:read' };
  const resume = (await there.post(consent, form)).location ?? '';
  const callback = new URL((await here.visit(pathOf(resume))).location ?? '');
  const response = await fetch(`${urlOf(second)}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'tocsin-cli',
      redirect_uri: CALLBACK,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  expect(response.status).toBe(200);
});

test('a decision that another site sends is refused', async () => {
  const consent = await oauth.requestAccess(jane);
  const form = { decision: 'allow', organization: organizationId, scope: 'monitors:read' };
  expect((await jane.visit(consent, { form, origin: 'https://evil.example.com' })).status).toBe(403);
  expect((await jane.visit(consent, { form, origin: null })).status).toBe(403);
});
