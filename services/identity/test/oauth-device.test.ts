import { afterAll, beforeEach, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { FIELD_CLIENT, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, clientsOf } from './start-identity.ts';

// The clock of the OAuth library can't be replaced, so the test's clock starts at the current time.
let now = new Date();
const oauth = await oauthFixture({ now: () => now });
const { organizationId, jane, query } = oauth;
const gateway = clientsOf(oauth.identity, 'gateway').identity;
afterAll(() => oauth[Symbol.asyncDispose]());
beforeEach(() => {
  now = new Date();
});

interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri_complete: string;
}

async function newDevice(changes: Readonly<Record<string, unknown>> = {}): Promise<Device> {
  const { status, body } = await oauth.post('/oauth/device/code', {
    client_id: 'tocsin-cli',
    scope: 'monitors:read',
    ...changes,
  });
  expect(status).toBe(200);
  return body as unknown as Device;
}

const allow = (device: Device, changes: Readonly<Record<string, string>> = {}) =>
  jane.post('/oauth/device', {
    user_code: device.user_code,
    decision: 'allow',
    organization: organizationId,
    scope: 'monitors:read',
    ...changes,
  });

test('a device gets tokens after its user has allowed the access', async () => {
  const { status, body } = await oauth.post('/oauth/device/code', { client_id: 'tocsin-cli', scope: 'monitors:read' });
  const device = body as unknown as Device;
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: `${BASE_URL}/oauth/device`,
      verification_uri_complete: `${BASE_URL}/oauth/device?user_code=${device.user_code}`,
      expires_in: 600,
      interval: 5,
    },
  });
  expect(await oauth.pollDevice(device.device_code)).toMatchObject({
    status: 400,
    body: { error: 'authorization_pending' },
  });
  expect((await jane.visit('/oauth/device')).text).toContain('Enter the code');
  const shown = await jane.visit(`/oauth/device?user_code=${device.user_code.toLowerCase().replace('-', ' ')}`);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain(device.user_code);
  expect(shown.text).toContain('Tocsin command line');
  expect(shown.headers.get('content-security-policy')).toContain("form-action 'self';");
  const result = await allow(device);
  expect(result).toMatchObject({ status: 200, text: expect.stringContaining('Access allowed') });
  const tokens = await oauth.pollDevice(device.device_code);
  expect(tokens).toMatchObject({ status: 200, body: { expires_in: 3600, scope: 'monitors:read' } });
  const { credential } = await gateway.exchangeCredential({
    secret: String(tokens.body.access_token),
    audiences: ['monitor'],
  });
  expect(credential).toMatchObject({ permissions: ['monitors:read'], actorEmail: 'jane@example.com' });
  expect((await oauth.refresh(String(tokens.body.refresh_token))).status).toBe(200);
});

test('a client from the configuration can get, refresh and revoke tokens with JSON bodies', async () => {
  const json = { json: true };
  const { status, body } = await oauth.post('/oauth/device/code', { client_id: FIELD_CLIENT.id, scope: null }, json);
  expect(status).toBe(200);
  const { device_code, user_code } = body as unknown as Device;
  const changes = { client_id: FIELD_CLIENT.id };
  expect(await oauth.pollDevice(device_code, changes, true)).toMatchObject({
    status: 400,
    body: { error: 'authorization_pending' },
  });
  expect((await jane.visit(`/oauth/device?user_code=${user_code}`)).text).toContain('Field CLI');
  await allow({ device_code, user_code, verification_uri_complete: '' });
  const tokens = await oauth.pollDevice(device_code, changes, true);
  expect(tokens).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  const refreshed = await oauth.post(
    '/oauth/token',
    { grant_type: 'refresh_token', client_id: FIELD_CLIENT.id, refresh_token: tokens.body.refresh_token },
    json,
  );
  expect(refreshed.status).toBe(200);
  const revoked = await oauth.post(
    '/oauth/revoke',
    { client_id: FIELD_CLIENT.id, token: refreshed.body.refresh_token },
    json,
  );
  expect(revoked.status).toBe(200);
});

test('a device that polls too often gets slow_down, and its interval becomes 5 seconds longer', async () => {
  const { device_code } = await newDevice();
  const poll = async (afterMs: number) => {
    now = new Date(now.getTime() + afterMs);
    return (await oauth.pollDevice(device_code)).body.error;
  };
  expect(await poll(0)).toBe('authorization_pending');
  expect(await poll(5_000)).toBe('authorization_pending');
  expect(await poll(4_999)).toBe('slow_down');
  // From here on, the interval is 10 seconds.
  expect(await poll(9_999)).toBe('slow_down');
  expect(await poll(15_000)).toBe('authorization_pending');
});

test('a device gets an error if the user denies access', async () => {
  const device = await newDevice();
  const { text } = await jane.post('/oauth/device', { user_code: device.user_code, decision: 'deny' });
  expect(text).toContain('Access denied');
  expect(await oauth.pollDevice(device.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
});

test('a device code and its user code expire after ten minutes', async () => {
  const device = await newDevice();
  now = new Date(now.getTime() + 599_000);
  expect((await jane.visit(`/oauth/device?user_code=${device.user_code}`)).status).toBe(200);
  now = new Date(now.getTime() + 2_000);
  expect(await jane.visit(`/oauth/device?user_code=${device.user_code}`)).toMatchObject({
    status: 404,
    text: expect.stringContaining('This code has expired'),
  });
  expect((await allow(device)).status).toBe(404);
  await query(`update oauth_artifact set expires_at = now() where kind = 'DeviceCode'`);
  expect(await oauth.pollDevice(device.device_code)).toMatchObject({ status: 400, body: { error: 'expired_token' } });
});

test('if a device code is used twice, its tokens are revoked', async () => {
  const device = await newDevice();
  await allow(device);
  const { body } = await oauth.pollDevice(device.device_code);
  expect(await oauth.pollDevice(device.device_code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  await expect(
    gateway.exchangeCredential({ secret: String(body.access_token), audiences: ['monitor'] }),
  ).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('a user code can be used only once, even if several requests use it at the same time', async () => {
  const device = await newDevice();
  const results = await Promise.all([1, 2, 3].map(() => allow(device)));
  expect(results.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  const grants = await query(`select count(*) as count from oauth_grant where client_id = 'tocsin-cli'
    and created_at > now() - interval '1 minute' and not exists (
      select from oauth_artifact a where a.grant_id = oauth_grant.id)`);
  expect((await jane.visit(`/oauth/device?user_code=${device.user_code}`)).text).toContain('already used');
  expect(grants).toBeDefined();
});

test('a device code is refused if another client sends it', async () => {
  const device = await newDevice();
  await allow(device);
  expect(await oauth.pollDevice(device.device_code, { client_id: FIELD_CLIENT.id })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});

test('an unknown code is refused, and a visitor who is not signed in goes to the sign-in page', async () => {
  expect(await jane.visit('/oauth/device?user_code=BBBB-BBBB')).toMatchObject({
    status: 404,
    text: expect.stringContaining('This code is not known'),
  });
  const { location } = await new Browser(oauth.identity).visit('/oauth/device?user_code=BBBB-BBBB');
  expect(location).toBe('/sign-in?next=%2Foauth%2Fdevice%3Fuser_code%3DBBBB-BBBB');
});

test('a decision that comes from another site is refused', async () => {
  const device = await newDevice();
  const form = { user_code: device.user_code, decision: 'deny' };
  expect((await jane.visit('/oauth/device', { form, origin: 'https://evil.example.com' })).status).toBe(403);
  expect(await oauth.pollDevice(device.device_code)).toMatchObject({ body: { error: 'authorization_pending' } });
});

test('at most 50 devices of a network can wait for a decision at the same time, and a decision or an expired code makes room for another device', async () => {
  const request = (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return oauth.post('/oauth/device/code', { client_id: 'tocsin-cli' }, { headers });
  };
  const results = await Promise.all(Array.from({ length: 51 }, () => request('2001:db8::1')));
  const refused = results.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  expect(refused[0]?.body.error_description).toContain('50 devices of your network wait');
  expect(refused[0]?.headers.get('retry-after')).toBe('60');
  expect((await request('2001:db8::2')).status).toBe(429);
  expect((await request('2001:db8:0:1::1')).status).toBe(200);
  const [one, two] = results.filter(({ status }) => status === 200).map(({ body }) => body as unknown as Device);
  await jane.post('/oauth/device', { user_code: one?.user_code ?? '', decision: 'deny' });
  await allow(two as Device);
  expect((await request('2001:db8::1')).status).toBe(200);
  expect((await request('2001:db8::1')).status).toBe(200);
  expect((await request('2001:db8::1')).status).toBe(429);
  now = new Date(now.getTime() + 601_000);
  expect((await request('2001:db8::1')).status).toBe(200);
});

test('at most 500 devices of one IPv6 site (/48) can wait for a decision at the same time', async () => {
  const request = (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return oauth.post('/oauth/device/code', { client_id: 'tocsin-cli' }, { headers });
  };
  expect((await request('2001:db8:5:1::1')).status).toBe(200);
  const fill = (count: number) =>
    query(
      `insert into oauth_artifact (kind, id_hash, user_code_hash, payload, created_at, expires_at, network_hash, site_hash)
       select 'DeviceCode', sha256(random()::text::bytea), sha256(random()::text::bytea), '{"filler":1}', $1,
              $1::timestamptz + interval '5 minutes', sha256(random()::text::bytea), site_hash
       from (select site_hash from oauth_artifact where site_hash = sha256('2001:db8:5/48')) s, generate_series(1, $2)`,
      now,
      count,
    );
  await fill(498);
  expect((await request('2001:db8:5:2::1')).status).toBe(200);
  const refused = await request('2001:db8:5:3::1');
  expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  expect(refused.body.error_description).toContain('500 devices of your network wait');
  expect((await request('2001:db8:6:3::1')).status).toBe(200);
  await query(`delete from oauth_artifact where payload = '{"filler":1}'`);
});

test('a device is refused if 10,000 devices have codes that were approved', async () => {
  await query('delete from oauth_artifact where network_hash is not null');
  await query(
    `insert into oauth_artifact (kind, id_hash, user_code_hash, payload, created_at, expires_at)
     select 'DeviceCode', sha256(i::text::bytea), sha256(i::text::bytea), '{}', now(), now() + interval '1 minute'
     from generate_series(1, 10000) i`,
  );
  const request = () => oauth.post('/oauth/device/code', { client_id: 'tocsin-cli' });
  const { status, body, headers } = await request();
  expect({ status, body }).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
  expect(headers.get('retry-after')).toBe('10');
  await query(`delete from oauth_artifact where payload = '{}'`);
  expect((await request()).status).toBe(200);
});

test('if 10,000 devices have codes, a new one replaces the oldest of the network with the most waiting devices', async () => {
  await query('delete from oauth_artifact where network_hash is not null');
  const request = (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return oauth.post('/oauth/device/code', { client_id: 'tocsin-cli' }, { headers });
  };
  const victim = (await request('192.0.2.50')).body as unknown as Device;
  // 398 sites with 25 waiting devices each, and one with 50.
  await query(
    `insert into oauth_artifact (kind, id_hash, user_code_hash, payload, created_at, expires_at, network_hash, site_hash)
     select 'DeviceCode', sha256(i::text::bytea), sha256(i::text::bytea), '{"filler":2}',
            now() - i * interval '1 millisecond', now() + interval '5 minutes',
            sha256(('network ' || i)::bytea), sha256(('site ' || least(i / 25, 398))::bytea)
     from generate_series(0, 9999) i`,
  );
  const largest = () =>
    query(`select id_hash from oauth_artifact where site_hash = sha256('site 398') order by created_at`);
  const before = await largest();
  expect((await request('198.51.100.7')).status).toBe(200);
  expect((await largest()).map(({ id_hash }) => id_hash)).toEqual(before.slice(1).map(({ id_hash }) => id_hash));
  expect((await allow(victim)).status).toBe(200);
  await query(`delete from oauth_artifact where payload = '{"filler":2}'`);
});
