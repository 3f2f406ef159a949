import { CredentialKind } from '@tocsin/proto/identity/v1/identity';
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

async function expectRefused(secret: unknown): Promise<void> {
  await expect(exchange(secret)).rejects.toMatchObject({
    kind: 'unauthenticated',
    message: 'the credential is unknown, revoked or expired',
  });
}

/** Verifies that the audit log contains exactly one revocation of a grant, with this reason. */
async function expectRevoked(grantId: string, reason: string): Promise<void> {
  const audit = await query(
    `select details from audit_log where target_id = $1 and action = 'oauth_grant.revoked'`,
    grantId,
  );
  expect(audit.map(({ details }) => JSON.parse(String(details)))).toEqual([expect.objectContaining({ reason })]);
}

const grantOf = async (secret: unknown) => (await exchange(secret)).credential?.id ?? '';

test('a client gets tokens with a code', async () => {
  const scopes = ['incidents:read', 'monitors:read_write'];
  const { code, verifier, callback } = await oauth.authorize(jane, { organization: organizationId, scopes });
  expect(callback.href.startsWith(`${CALLBACK}?`)).toBe(true);
  expect(Object.fromEntries(callback.searchParams)).toEqual({ code, state: 'state-1', iss: BASE_URL });
  const { status, body, headers } = await oauth.exchangeCode(code, verifier);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'monitors:read_write incidents:read',
    },
  });
  expect(headers.get('cache-control')).toBe('no-store');
});

test('an access token is a credential of its user, organization and client', async () => {
  const { access_token } = await oauth.tokensOf(jane, organizationId, ['monitors:read_write', 'incidents:read']);
  const { organization, credential } = await exchange(access_token);
  expect(organization).toMatchObject({ id: organizationId, name: 'Acme' });
  expect(credential).toMatchObject({
    kind: CredentialKind.OAUTH,
    name: 'Tocsin command line',
    permissions: ['incidents:read', 'monitors:read_write'],
    actorEmail: 'jane@example.com',
  });
});

test('a code that is used twice revokes its tokens', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  const { body } = await oauth.exchangeCode(code, verifier);
  const grant = await grantOf(body.access_token);
  expect(await oauth.exchangeCode(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  await expectRefused(body.access_token);
  expect(await oauth.refresh(String(body.refresh_token))).toMatchObject({ body: { error: 'invalid_grant' } });
  await expectRevoked(grant, 'reuse');
});

test('at most one of several concurrent uses of a code succeeds, and its tokens are revoked', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  const answers = await Promise.all([1, 2, 3, 4].map(() => oauth.exchangeCode(code, verifier)));
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.length).toBeLessThanOrEqual(1);
  for (const { body } of granted) await expectRefused(body.access_token);
});

test.each([
  ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
  ['no verifier', { code_verifier: '' }],
  ['another redirect URI', { redirect_uri: 'http://127.0.0.1:8977/callback' }],
  ['another client', { client_id: FIELD_CLIENT.id }],
])('a code is refused with %s', async (_, changes) => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  expect(await oauth.exchangeCode(code, verifier, changes)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});

test('a code is refused after a minute', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  const [row] = await query(
    `update oauth_artifact set expires_at = now() where kind = 'AuthorizationCode' and consumed_at is null
       and created_at = (select max(created_at) from oauth_artifact where kind = 'AuthorizationCode')
     returning expires_at - created_at <= interval '1 minute' as short`,
  );
  expect(row).toBeDefined();
  expect(await oauth.exchangeCode(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test.each([
  ['the method plain', { code_challenge_method: 'plain' }],
  ['no method', { code_challenge_method: '' }],
  ['no challenge', { code_challenge: '', code_challenge_method: '' }],
])('an authorization request with %s is refused', async (_, changes) => {
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

test('a resource that a request names is ignored, because all tokens are for the one API', async () => {
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

test('a user who is not signed in goes to the sign-in page and back', async () => {
  const path = `/oauth/authorize?${authorization().query}`;
  const { status, location } = await new Browser(oauth.identity).visit(path);
  expect({ status, location }).toEqual({ status: 303, location: `/sign-in?next=${encodeURIComponent(path)}` });
});

test('a page says that a request is too long to be continued after signing in', async () => {
  const visit = (browser: Browser, length: number) => {
    const path = `/oauth/authorize?${authorization({ state: '' }).query}&state=`;
    return browser.visit(path + 'x'.repeat(length - path.length));
  };
  expect((await visit(new Browser(oauth.identity), 2_000)).status).toBe(303);
  const { status, text } = await visit(new Browser(oauth.identity), 2_001);
  expect({ status, text }).toMatchObject({ status: 401, text: expect.stringContaining('Sign in first') });
  expect((await visit(jane, 2_001)).location).toMatch(/\/oauth\/consent\//);
});

test('a client that must not disturb the user learns that a decision is needed', async () => {
  const { query: params } = authorization({ prompt: 'none' });
  const error = async (browser: Browser) =>
    new URL((await browser.visit(`/oauth/authorize?${params}`)).location ?? '').searchParams.get('error');
  expect(await error(new Browser(oauth.identity))).toBe('login_required');
  expect(await error(jane)).toBe('interaction_required');
});

test('the page for consent shows the client, the destination, the organization and each permission', async () => {
  const scope = 'monitors:read api_keys:read_write';
  const { text, headers } = await jane.visit(await oauth.requestAccess(jane, { scope }));
  expect(text).toContain('Tocsin command line');
  expect(text).toContain('a program on this computer');
  expect(text).toContain('Acme');
  expect([...text.matchAll(/name="scope" value="([^"]*)" checked/g)].map(([, name]) => name)).toEqual(scope.split(' '));
  expect(headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:8976;");
  expect(headers.get('content-security-policy')).not.toContain('script');
});

test('a user grants fewer permissions than the client asks for', async () => {
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

test('the client learns that the user denied', async () => {
  const callback = await oauth.decide(jane, await oauth.requestAccess(jane), [['decision', 'deny']]);
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'state-1',
    iss: BASE_URL,
  });
});

test('a form for consent that the browser sends twice makes one grant', async () => {
  const consent = await oauth.requestAccess(jane);
  const form = { decision: 'allow', organization: organizationId, scope: 'monitors:read' };
  const grants = async () => Number((await query('select count(*) as count from oauth_grant'))[0]?.count);
  const before = await grants();
  const [first, second] = [await jane.post(consent, form), await jane.post(consent, form)];
  expect([first.status, second.status, second.location]).toEqual([303, 303, first.location]);
  expect(await grants()).toBe(before + 1);
  expect((await jane.visit(pathOf(second.location ?? ''))).location).toMatch(/[?&]code=/);
});

test('a decision without an organization or a permission is not accepted', async () => {
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
  'with the public URL %s, all URLs and cookies are those of https',
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

test('the audit log says who allowed what to which program, and from where', async () => {
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

test('a user without an organization can only deny', async () => {
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

test('the steps of a request for access may go to different replicas', async () => {
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

test('a user of several organizations chooses one, and the role there limits the permissions', async () => {
  const other = await oauth.createOrganization('Globex', 'sam@example.com');
  await oauth.createOrganization('Sam', 'sam@example.com');
  await query(`update membership set role = 'member' where organization_id = $1`, other);
  const sam = await oauth.signIn('sam@example.com');
  const { verifier, query: params } = authorization({ scope: 'monitors:read audit_log:read' });
  const consent = (await sam.visit(`/oauth/authorize?${params}`)).location ?? '';
  expect((await sam.visit(consent)).text).toMatch(/type="radio".*Globex.*member.*type="radio".*Sam.*owner/s);
  const refused = await sam.post(consent, { decision: 'allow', organization: other, scope: 'audit_log:read' });
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('Your role in Globex') });
  const callback = await oauth.decide(sam, consent, [
    ['decision', 'allow'],
    ['organization', other],
    ['scope', 'monitors:read'],
    ['scope', 'audit_log:read'],
  ]);
  const { body } = await oauth.exchangeCode(callback.searchParams.get('code') ?? '', verifier);
  expect(await exchange(body.access_token)).toMatchObject({
    organization: { id: other },
    credential: { permissions: ['monitors:read'] },
  });
});

test('a change of the role changes the permissions of a token', async () => {
  const organization = await oauth.createOrganization('Initech', 'kim@example.com');
  const kim = await oauth.signIn('kim@example.com');
  const { access_token } = await oauth.tokensOf(kim, organization, ['api_keys:read', 'monitors:read']);
  const setRole = (role: string) =>
    query('update membership set role = $2 where organization_id = $1', organization, role);
  const permissions = async () => (await exchange(access_token)).credential?.permissions;
  expect(await permissions()).toEqual(['api_keys:read', 'monitors:read']);
  await setRole('member');
  expect(await permissions()).toEqual(['monitors:read']);
  await setRole('admin');
  expect(await permissions()).toEqual(['api_keys:read', 'monitors:read']);
});

test('tokens of a former member are refused', async () => {
  const organization = await oauth.createOrganization('Hooli', 'gavin@example.com');
  const gavin = await oauth.signIn('gavin@example.com');
  const { access_token, refresh_token } = await oauth.tokensOf(gavin, organization, READ);
  await query('delete from membership where organization_id = $1', organization);
  await expectRefused(access_token);
  expect(await oauth.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('an access token is refused after an hour, and until then internal tokens end with it', async () => {
  const { access_token } = await oauth.tokensOf(jane, organizationId, READ);
  const setEnd = (interval: string) =>
    query(
      `update oauth_artifact set expires_at = now() + $1::interval where kind = 'AccessToken'
         and created_at = (select max(created_at) from oauth_artifact where kind = 'AccessToken')`,
      interval,
    );
  await setEnd('5 seconds');
  const { expiresAt } = await exchange(access_token);
  expect(Number(expiresAt?.seconds)).toBeLessThanOrEqual(Date.now() / 1_000 + 5);
  await setEnd('0 seconds');
  await expectRefused(access_token);
});

test('a user has at most 100 grants, and a further one revokes the oldest', async () => {
  const organization = await oauth.createOrganization('Many', 'max@example.com');
  const max = await oauth.signIn('max@example.com');
  const { access_token } = await oauth.tokensOf(max, organization, READ);
  const grant = await grantOf(access_token);
  await query(
    `insert into oauth_grant (id, organization_id, user_id, client_id, client_name, scopes, created_at, expires_at)
     select gen_random_uuid(), organization_id, user_id, client_id, client_name, scopes, now(), expires_at
     from oauth_grant, generate_series(1, $2) where id = $1`,
    grant,
    98,
  );
  await oauth.tokensOf(max, organization, READ);
  await exchange(access_token);
  await oauth.tokensOf(max, organization, READ);
  await expectRefused(access_token);
  await expectRevoked(grant, 'replaced');
});

test('an API key that is created with an access token belongs to its user and has at most its permissions', async () => {
  const { access_token } = await oauth.tokensOf(jane, organizationId, ['api_keys:read_write', 'monitors:read']);
  const { tokens } = await gateway.exchangeCredential({ secret: access_token, audiences: ['identity'] });
  const { keys } = clientsOf(oauth.identity);
  const headers = { headers: { authorization: `Bearer ${tokens.identity}` } };
  const { apiKey, key } = await keys.issueApiKey({ name: 'CI', permissions: ['monitors:read'] }, headers);
  expect(apiKey).toMatchObject({ createdBy: 'jane@example.com', createdByKeyId: '' });
  expect((await exchange(key)).credential?.permissions).toEqual(['monitors:read']);
  await expect(keys.issueApiKey({ name: 'CI', permissions: ['monitors:read_write'] }, headers)).rejects.toMatchObject({
    kind: 'invalid',
  });
  await oauth.post('/oauth/revoke', { client_id: 'tocsin-cli', token: access_token });
  await expect(keys.issueApiKey({ name: 'CI', permissions: ['monitors:read'] }, headers)).rejects.toMatchObject({
    kind: 'forbidden',
  });
});
