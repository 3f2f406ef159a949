import { openDatabase } from '@tocsin/database';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { startBackground } from '../src/app/background.ts';
import { deleteOld } from '../src/app/delete-old.ts';
import { approveAccess, createGrant, endGrantsOfMember } from '../src/app/oauth/grants.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';
import { FIELD_CLIENT, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, clientsOf, recordMails } from './start-identity.ts';

const oauth = await oauthFixture();
const { organizationId, jane, query } = oauth;
const gateway = clientsOf(oauth.identity, 'gateway').identity;
afterAll(() => oauth[Symbol.asyncDispose]());

const CLIENT = { client_id: 'tocsin-cli' };

async function isAccepted(secret: unknown): Promise<boolean> {
  try {
    await gateway.exchangeCredential({ secret: String(secret), audiences: ['monitor'] });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'unauthenticated' });
    return false;
  }
}

const newTokens = (scopes = ['monitors:read_write', 'incidents:read']) => oauth.tokensOf(jane, organizationId, scopes);

test('a refresh token is replaced with each use, and earlier access tokens stay valid', async () => {
  const first = await newTokens();
  const { status, body: second } = await oauth.refresh(first.refresh_token);
  expect({ status, second }).toMatchObject({ status: 200, second: { expires_in: 3600, scope: first.scope } });
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(await isAccepted(first.access_token)).toBe(true);
  expect(await isAccepted(second.access_token)).toBe(true);
  expect((await oauth.refresh(String(second.refresh_token))).status).toBe(200);
});

test('if a refresh token is used twice, all tokens of its grant are revoked', async () => {
  const first = await newTokens();
  const { body: second } = await oauth.refresh(first.refresh_token);
  const { body: third } = await oauth.refresh(String(second.refresh_token));
  expect(await oauth.refresh(first.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  for (const { access_token } of [first, second, third] as { access_token: string }[]) {
    expect(await isAccepted(access_token)).toBe(false);
  }
  expect(await oauth.refresh(String(third.refresh_token))).toMatchObject({ body: { error: 'invalid_grant' } });
});

test('if a refresh token is used several times at once, at most one use succeeds, and the tokens of that use are revoked', async () => {
  const { refresh_token } = await newTokens();
  const answers = await Promise.all([1, 2, 3, 4].map(() => oauth.refresh(refresh_token)));
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.length).toBeLessThanOrEqual(1);
  for (const { body } of granted) expect(await isAccepted(body.access_token)).toBe(false);
});

test('a refresh can ask for fewer permissions, but not for more', async () => {
  const { refresh_token } = await newTokens(['monitors:read', 'incidents:read']);
  const { body } = await oauth.refresh(refresh_token, { scope: 'incidents:read' });
  expect(body).toMatchObject({ scope: 'incidents:read' });
  const { credential } = await gateway.exchangeCredential({
    secret: String(body.access_token),
    audiences: ['monitor'],
  });
  expect(credential?.permissions).toEqual(['incidents:read']);
  expect(await oauth.refresh(String(body.refresh_token), { scope: 'api_keys:read' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_scope' },
  });
});

test('a refresh token is refused if another client sends it, and after 30 days', async () => {
  const { refresh_token } = await newTokens();
  const refused = { status: 400, body: { error: 'invalid_grant' } };
  expect(await oauth.refresh(refresh_token, { client_id: FIELD_CLIENT.id })).toMatchObject(refused);
  const [row] = await query(
    `update oauth_artifact set expires_at = now() where kind = 'RefreshToken'
       and created_at = (select max(created_at) from oauth_artifact where kind = 'RefreshToken')
     returning extract(day from expires_at - created_at) as days`,
  );
  expect(row).toBeDefined();
  expect(await oauth.refresh(refresh_token)).toMatchObject(refused);
});

test.each(['access_token', 'refresh_token'] as const)(
  'if a client revokes the %s, the grant and all its tokens are revoked',
  async (name) => {
    const tokens = await newTokens();
    const { status, body } = await oauth.post('/oauth/revoke', { ...CLIENT, token: tokens[name] });
    expect({ status, body }).toEqual({ status: 200, body: {} });
    expect(await isAccepted(tokens.access_token)).toBe(false);
    expect(await oauth.refresh(tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    const [audit] = await query(
      `select actor, details from audit_log where action = 'oauth_grant.revoked' order by occurred_at desc limit 1`,
    );
    expect(audit).toMatchObject({
      actor: 'oauth_client:tocsin-cli',
      details: expect.stringContaining('"reason":"revoked_by_client"'),
    });
  },
);

test('a user can list the programs with access, and end the access of a program', async () => {
  await oauth.createOrganization('Umbrella', 'ada@example.com');
  const ada = await oauth.signIn('ada@example.com');
  const [organization] = await query(`select id from organization where name = 'Umbrella'`);
  const id = String(organization?.id);
  expect((await ada.visit('/account/programs')).text).toContain('There are none.');
  // A program that never fetched its tokens has no access.
  await oauth.authorize(ada, { organization: id, scopes: ['monitors:read'] });
  await query(`delete from oauth_artifact where kind = 'AuthorizationCode'`);
  expect((await ada.visit('/account/programs')).text).toContain('There are none.');
  const tokens = await oauth.tokensOf(ada, id, ['monitors:read']);
  expect((await ada.visit('/account/programs')).text).toContain('never used');
  expect(await isAccepted(tokens.access_token)).toBe(true);
  const { text } = await ada.visit('/account/programs');
  expect(text).toMatch(/Tocsin command line.*Umbrella.*See monitors, their checks.*last used/s);
  const [, path = ''] = /action="([^"]*end)"/.exec(text) ?? [];

  // Another user can't end the access.
  expect((await jane.post(path)).status).toBe(303);
  expect(await isAccepted(tokens.access_token)).toBe(true);
  expect((await ada.visit(path, { form: {}, origin: 'https://evil.example.com' })).status).toBe(403);
  expect(await isAccepted(tokens.access_token)).toBe(true);

  expect(await ada.post(path)).toMatchObject({ status: 303, location: '/account/programs?ended' });
  expect(await isAccepted(tokens.access_token)).toBe(false);
  expect(await oauth.refresh(tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  const [audit] = await query(
    `select details from audit_log where actor = 'ada@example.com' and action = 'oauth_grant.revoked'`,
  );
  expect(audit?.details).toContain('"reason":"revoked_by_user"');
  expect((await ada.visit('/account/programs?ended')).text).toMatch(/The access was ended.*There are none/s);
});

test('if a user is removed while allowing access, the client gets no access', async () => {
  const [member] = await query('select user_id from membership where organization_id = $1', organizationId);
  const user = { id: String(member?.user_id), email: 'jane@example.com' };
  const device = { address: '192.0.2.1', userAgent: '' };
  const now = new Date();
  const session = {
    id: v7(),
    createdAt: now,
    provedAt: now,
    providerOrganizationId: undefined,
    lastUsedAt: now,
    device,
  };
  const client = { id: 'tocsin-cli', name: 'Tocsin' };
  await using database = await openDatabase({ url: oauth.tables.url, entities, migrations, poolSize: 3 });
  await using background = startBackground(createRuntime('identity', { logLevel: 'fatal' }).logger);
  const approve = (organization: string) =>
    approveAccess(
      { database, now: () => new Date(), mails: recordMails([]), background },
      {
        signedIn: { user, session },
        organization: { id: organization, name: 'Acme' },
        client,
        scopes: ['monitors:read'],
      },
    );
  const other = await oauth.createOrganization('Elsewhere', 'elsewhere@example.com');
  await expect(approve(other)).rejects.toMatchObject({ kind: 'forbidden' });

  // The removal of a user waits until the user's decision is stored. It can then revoke the grant of that decision.
  const removal = await database.transaction('every organization', async (tx) => {
    const organization = { id: organizationId, name: 'Acme' };
    await createGrant(tx, { signedIn: { user, session }, organization, client, scopes: [] }, new Date());
    const waiting = database.transaction('every organization', (inner) =>
      inner.query('update membership set role = role where organization_id = $1 returning user_id', [organizationId]),
    );
    await eventually(async () => {
      const locked = await query(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'update membership set role = role%'`,
      );
      expect(locked).toHaveLength(1);
    });
    return { waiting };
  });
  expect(await removal.waiting).toHaveLength(1);
});

test('the tokens of a member become invalid when the membership ends', async () => {
  const { access_token } = await newTokens();
  const [member] = await query('select user_id from membership where organization_id = $1', organizationId);
  await using database = await openDatabase({ url: oauth.tables.url, entities, migrations, poolSize: 2 });
  await database.transaction('every organization', (tx) =>
    endGrantsOfMember(
      tx,
      { organizationId, userId: String(member?.user_id) },
      { actor: 'jane@example.com', now: new Date() },
    ),
  );
  expect(await isAccepted(access_token)).toBe(false);
  const [event] = await query(
    `select count(*) as count from audit_log where details like '%membership_ended%' and actor = 'jane@example.com'`,
  );
  expect(event?.count).toBeGreaterThan(0);
});

test('the tokens of a revoked grant are deleted, and tokens that are stored after the revocation are refused', async () => {
  const tokens = await newTokens();
  await query('create table saved_later as select * from oauth_artifact');
  const grant = '(select id from oauth_grant order by created_at desc, id desc limit 1)';
  const stored = () => query(`select kind from oauth_artifact where grant_id = ${grant}`);
  expect(await stored()).toHaveLength(3);
  await oauth.post('/oauth/revoke', { ...CLIENT, token: tokens.access_token });
  expect(await stored()).toEqual([]);
  await query(`insert into oauth_artifact select * from saved_later where grant_id = ${grant}`);
  expect(await stored()).toHaveLength(3);
  expect(await isAccepted(tokens.access_token)).toBe(false);
  expect(await oauth.refresh(tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  await query('drop table saved_later');
});

test('a client can not revoke or see tokens of another client, and unknown tokens cause no error', async () => {
  const { access_token } = await newTokens();
  for (const token of [access_token, 'unknown']) {
    const request = { client_id: FIELD_CLIENT.id, token };
    expect(await oauth.post('/oauth/revoke', request)).toMatchObject({ status: 200 });
    expect(await oauth.post('/oauth/introspect', request)).toMatchObject({ status: 200, body: { active: false } });
  }
  expect(await isAccepted(access_token)).toBe(true);
});

test('a client sees whether its tokens are valid', async () => {
  const { access_token, refresh_token } = await newTokens();
  const see = (token: string) => oauth.post('/oauth/introspect', { ...CLIENT, token });
  expect(await see(access_token)).toMatchObject({
    status: 200,
    body: {
      active: true,
      client_id: 'tocsin-cli',
      scope: 'monitors:read_write incidents:read',
      token_type: 'Bearer',
      iss: BASE_URL,
    },
  });
  expect(await see(refresh_token)).toMatchObject({ body: { active: true } });
  await oauth.post('/oauth/revoke', { ...CLIENT, token: refresh_token });
  expect((await see(access_token)).body).toEqual({ active: false });
});

test('a request without a known client is refused', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/device/code']) {
    const body = { grant_type: 'refresh_token', token: 'x', refresh_token: 'x' };
    expect(await oauth.post(path, body), path).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const unknown = await oauth.post(path, { ...body, client_id: 'nobody' });
    expect(unknown, path).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  }
});

test('the grant types password, client_credentials and implicit are refused', async () => {
  for (const grantType of ['password', 'client_credentials', 'implicit']) {
    expect(await oauth.post('/oauth/token', { ...CLIENT, grant_type: grantType })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
  }
});

test('a transaction of another organization sees no grant', async () => {
  await newTokens();
  const other = await oauth.createOrganization('Nosy', 'nosy@example.com');
  const seen = (organization: string) =>
    oauth.tables.transaction({ organizationId: organization }, (tx) => tx.query('select id from oauth_grant'));
  expect(await seen(other)).toEqual([]);
  expect((await seen(organizationId)).length).toBeGreaterThan(0);
});

test('at most 20 access tokens and 100 refresh tokens of a grant are stored', async () => {
  const { refresh_token, access_token } = await newTokens();
  const fill = (kind: string, count: number) =>
    query(
      `insert into oauth_artifact (kind, id_hash, grant_id, payload, created_at, expires_at)
       select kind, sha256(random()::text::bytea), grant_id, payload, created_at + interval '1 second', expires_at
       from oauth_artifact, generate_series(1, $2) where kind = $1
         and created_at = (select max(created_at) from oauth_artifact where kind = $1)`,
      kind,
      count,
    );
  const count = async (kind: string) => {
    const [row] = await query(
      `select count(*) as count from oauth_artifact where kind = $1 and grant_id =
         (select id from oauth_grant order by created_at desc, id desc limit 1)`,
      kind,
    );
    return row?.count;
  };
  await fill('AccessToken', 19);
  await fill('RefreshToken', 99);
  expect(await isAccepted(access_token)).toBe(true);
  const { body } = await oauth.refresh(refresh_token);
  expect(await count('AccessToken')).toBe(20);
  expect(await count('RefreshToken')).toBe(100);
  expect(body).toHaveProperty('access_token');
});

test('the database and the log contain no token, code or id that a client or browser presents', async () => {
  const { code, verifier } = await oauth.authorize(jane, { organization: organizationId, scopes: ['monitors:read'] });
  const { body } = await oauth.exchangeCode(code, verifier);
  const consent = await oauth.requestAccess(jane);
  const { body: device } = await oauth.post('/oauth/device/code', CLIENT);
  await oauth.pollDevice(String(device.device_code));
  const secrets = [
    code,
    verifier,
    body.access_token,
    body.refresh_token,
    consent.split('/').at(-1),
    device.device_code,
    device.user_code,
    String(device.user_code).replace('-', ''),
  ].map(String);
  const rows = await query('select a::text as row from oauth_artifact a');
  const dump = rows.map(({ row }) => row).join('\n') + oauth.fixture.logged.join('');
  expect(dump).toContain('DeviceCode');
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThanOrEqual(8);
    expect(dump).not.toContain(secret);
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

// This test is the last one, because it also deletes the sessions of other tests.
test('tokens are deleted an hour after they expired, grants 30 days after they ended, and unused grants after a day', async () => {
  await oauth.createOrganization('Old', 'old@example.com');
  const user = await oauth.signIn('old@example.com');
  const [organization] = await query(`select id from organization where name = 'Old'`);
  for (const name of ['live', 'revoked', 'expired', 'without tokens']) {
    await oauth.tokensOf(user, String(organization?.id), ['monitors:read']);
    await query(
      `update oauth_grant set client_name = $2 where organization_id = $1 and client_name = 'Tocsin command line'`,
      organization?.id,
      name,
    );
  }
  const grant = `(select id from oauth_grant where organization_id = $1 and client_name = $2)`;
  const id = organization?.id;
  await query(`update oauth_grant set revoked_at = now() where id = ${grant}`, id, 'revoked');
  await query(`update oauth_grant set expires_at = now() where id = ${grant}`, id, 'expired');
  await query(`delete from oauth_artifact where grant_id = ${grant}`, id, 'without tokens');
  const names = async () => {
    const rows = await query('select client_name from oauth_grant where organization_id = $1 order by 1', id);
    return rows.map(({ client_name: name }) => name);
  };
  const tokens = async () => {
    const rows = await query(`select kind from oauth_artifact where grant_id = ${grant} order by 1`, id, 'live');
    return rows.map(({ kind }) => kind);
  };
  const HOUR_MS = 3_600_000;
  const deleteAt = async (ms: number) => {
    while ((await deleteOld({ database: oauth.tables, now: () => new Date(Date.now() + ms) })) === 'again');
  };
  await deleteAt(0);
  expect(await tokens()).toEqual(['AccessToken', 'AuthorizationCode', 'RefreshToken']);
  await deleteAt(2 * HOUR_MS - 60_000);
  expect(await tokens()).toEqual(['AccessToken', 'RefreshToken']);
  await deleteAt(2 * HOUR_MS + 60_000);
  expect(await tokens()).toEqual(['RefreshToken']);
  await deleteAt(24 * HOUR_MS - 60_000);
  expect(await names()).toEqual(['expired', 'live', 'revoked', 'without tokens']);
  await deleteAt(24 * HOUR_MS + 60_000);
  expect(await names()).toEqual(['expired', 'live', 'revoked']);
  await deleteAt(30 * 24 * HOUR_MS - 60_000);
  expect(await names()).toEqual(['expired', 'live', 'revoked']);
  await deleteAt(30 * 24 * HOUR_MS + 60_000);
  expect(await names()).toEqual(['live']);
});
