import { CredentialKind } from '@tocsin/proto/identity/v1/identity';
import { afterAll, expect, test } from 'vitest';
import { authorization, CALLBACK, FIELD_CLIENT, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, clientsOf } from './start-identity.ts';

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

test('a client exchanges a code for tokens', async () => {
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

test('the credential of an access token contains the user, the organization and the client', async () => {
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

test('if a code is used twice, its tokens are revoked', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  const { body } = await oauth.exchangeCode(code, verifier);
  const grant = await grantOf(body.access_token);
  expect(await oauth.exchangeCode(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  await expectRefused(body.access_token);
  expect(await oauth.refresh(String(body.refresh_token))).toMatchObject({ body: { error: 'invalid_grant' } });
  await expectRevoked(grant, 'reuse');
});

test('if a code is used several times at once, at most one use succeeds, and the tokens of that use are revoked', async () => {
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
])('a code is refused in a request with %s', async (_, changes) => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  expect(await oauth.exchangeCode(code, verifier, changes)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});

test('an expired code is refused', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: READ });
  const [row] = await query(
    `update oauth_artifact set expires_at = now() where kind = 'AuthorizationCode' and consumed_at is null
       and created_at = (select max(created_at) from oauth_artifact where kind = 'AuthorizationCode')
     returning expires_at - created_at <= interval '1 minute' as short`,
  );
  expect(row).toBeDefined();
  expect(await oauth.exchangeCode(code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
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

test('a role change also changes the permissions of a token', async () => {
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

test('an expired access token is refused, and internal tokens expire no later than the access token', async () => {
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

test('a user has at most 100 grants, and another grant revokes the oldest one', async () => {
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

test("an API key that is created with an access token belongs to the token's user and has at most the token's permissions", async () => {
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
