import { createHash } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toLimits } from '@tocsin/enums';
import { createTokenVerifier, withToken } from '@tocsin/runtime';
import { manualClock } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { formatApiKey, formatServiceCredential } from '../src/app/api-key.ts';
import { deleteOld } from '../src/app/delete-old.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const DAY_MS = 24 * 3_600_000;

const clock = manualClock(new Date());
const fixture = await identityFixture();
const identity = await fixture.start({ now: clock.now });
const anonymous = clientsOf(identity).identity;
// The operator's tokens are signed and verified with the clock of identity.
let { admin } = clientsOf(identity, 'admin');
const tables = await fixture.openTables();
const verifier = createTokenVerifier(async () => JSON.parse((await anonymous.listSigningKeys({})).jwksJson), clock.now);
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  // Tests advance the clock, so the operator's current token may have expired.
  ({ admin } = clientsOf(identity, 'admin'));
  await tables.transaction('every organization', (tx) => tx.query('delete from attempt_count'));
});

async function newOrganization(ownerEmail = 'jane@example.com'): Promise<string> {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail });
  return organization?.id ?? '';
}

async function create({
  organizationId = '',
  permissions = ['monitors:read'],
  expiresAt,
  tokenSeconds = 0,
}: {
  organizationId?: string;
  permissions?: string[];
  expiresAt?: Date;
  tokenSeconds?: number;
} = {}) {
  const { credential, secret } = await admin.createServiceCredential({
    organizationId,
    name: 'reports',
    permissions,
    audiences: ['monitor', 'identity'],
    tokenSeconds,
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  });
  return { id: credential?.id ?? '', secret, credential };
}

const auditOf = (organizationId: string) =>
  tables.transaction({ organizationId }, (tx) =>
    tx.query(`select actor, action, target_id, details from audit_log where action like 'service%' order by id`),
  );

test('a credential is exchanged for a five-minute token with the organization and the permissions of the credential', async () => {
  const organizationId = await newOrganization();
  const { id, secret } = await create({ organizationId });
  expect(secret).toMatch(/^tocsin_service_[0-9A-Za-z]{49}$/);
  const { token, expiresAt } = await anonymous.exchangeServiceCredential({ secret, audience: 'monitor' });
  const lifetime = expiresAt ? timestampDate(expiresAt).getTime() - clock.now().getTime() : 0;
  expect(lifetime).toBeGreaterThan(298_000);
  expect(lifetime).toBeLessThanOrEqual(300_000);
  expect(await verifier.verify(token, 'monitor')).toEqual({
    kind: 'credential',
    organizationId,
    credentialId: id,
    actorEmail: 'jane@example.com',
    permissions: ['monitors:read'],
    limits: toLimits({}),
  });
  await expect(verifier.verify(token, 'identity')).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('a token is valid until it expires, and the credential then gets another one', async () => {
  const { secret } = await create({ organizationId: await newOrganization(), tokenSeconds: 10 });
  const request = { secret, audience: 'monitor' };
  const { token, expiresAt } = await anonymous.exchangeServiceCredential(request);
  const left = timestampDate(expiresAt ?? timestampFromDate(new Date(0))).getTime() - clock.now().getTime();
  expect(left).toBeGreaterThan(8_000);
  expect(left).toBeLessThanOrEqual(10_000);
  clock.advance(left - 1);
  expect(await verifier.verify(token, 'monitor')).toMatchObject({ kind: 'credential' });
  clock.advance(1);
  await expect(verifier.verify(token, 'monitor')).rejects.toMatchObject({ kind: 'unauthenticated' });
  const renewed = await anonymous.exchangeServiceCredential(request);
  expect(await verifier.verify(renewed.token, 'monitor')).toMatchObject({ kind: 'credential' });
});

describe('refused exchanges', () => {
  const unauthenticated = {
    kind: 'unauthenticated',
    message: 'the service credential is unknown, revoked or expired',
  };
  const exchange = (secret: string, change: { audience?: string; organizationId?: string } = {}) =>
    anonymous.exchangeServiceCredential({ secret, audience: 'monitor', ...change });

  test.each([
    ['an empty secret', ''],
    ['a malformed secret', 'tocsin_service_nonsense'],
    ['an unknown secret', formatServiceCredential(Buffer.alloc(32, 7))],
    ['an API key', formatApiKey(Buffer.alloc(32, 7))],
  ])('the exchange of %s is refused', async (_, secret) => {
    await expect(exchange(secret)).rejects.toMatchObject(unauthenticated);
  });

  test('a secret with an invalid checksum is refused', async () => {
    const { secret } = await create({ organizationId: await newOrganization() });
    await expect(exchange(`${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`)).rejects.toMatchObject(
      unauthenticated,
    );
    expect((await exchange(secret)).token).not.toBe('');
  });

  test('a revoked credential gets no new token, and its existing token stays valid until it expires', async () => {
    const { id, secret } = await create({ organizationId: await newOrganization() });
    const { token } = await exchange(secret);
    await admin.revokeServiceCredential({ id });
    await expect(exchange(secret)).rejects.toMatchObject(unauthenticated);
    clock.advance(298_000);
    expect(await verifier.verify(token, 'monitor')).toMatchObject({ credentialId: id });
    clock.advance(2_000);
    await expect(verifier.verify(token, 'monitor')).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  test('an expired credential gets no token, and no token outlives its credential', async () => {
    const expiresAt = new Date(Math.ceil(clock.now().getTime() / 1000) * 1000 + 60_000);
    const { secret } = await create({ organizationId: await newOrganization(), expiresAt });
    clock.advance(expiresAt.getTime() - clock.now().getTime() - 1);
    const last = await exchange(secret);
    expect(last.expiresAt && timestampDate(last.expiresAt)).toEqual(expiresAt);
    clock.advance(1);
    await expect(exchange(secret)).rejects.toMatchObject(unauthenticated);
  });

  test('a credential is refused for services for which it is not valid', async () => {
    const { secret } = await create({ organizationId: await newOrganization() });
    for (const audience of ['notifier', 'nonsense', '']) {
      await expect(exchange(secret, { audience })).rejects.toMatchObject({
        kind: 'forbidden',
        message: 'this service credential is valid only for the services identity, monitor',
      });
    }
    expect((await exchange(secret, { audience: 'identity' })).token).not.toBe('');
  });

  test('a credential of an organization is refused for another organization', async () => {
    const [own, other] = [await newOrganization(), await newOrganization()];
    const { secret } = await create({ organizationId: own });
    expect((await exchange(secret, { organizationId: own })).token).not.toBe('');
    for (const organizationId of [other, 'nonsense']) {
      await expect(exchange(secret, { organizationId })).rejects.toMatchObject({
        kind: 'forbidden',
        message: 'this service credential is bound to another organization',
      });
    }
  });

  test('an exchange must name an existing organization if the credential is bound to no organization', async () => {
    const organizationId = await newOrganization();
    const { secret } = await create();
    const { token } = await exchange(secret, { organizationId });
    expect(await verifier.verify(token, 'monitor')).toMatchObject({ kind: 'credential', organizationId });
    await expect(exchange(secret)).rejects.toMatchObject({
      kind: 'invalid',
      fields: { organization_id: ['is required, because the credential is bound to no organization'] },
    });
    for (const unknown of ['01920000-0000-7000-8000-000000000000', 'nonsense']) {
      await expect(exchange(secret, { organizationId: unknown })).rejects.toMatchObject({ kind: 'not_found' });
    }
  });

  test('a token is refused by methods that need permissions that the token does not have', async () => {
    const organizationId = await newOrganization();
    const { keys, admin: asAdmin } = clientsOf(identity);
    const tokenFor = async (permissions: string[]) =>
      withToken(
        (await exchange((await create({ organizationId, permissions })).secret, { audience: 'identity' })).token,
      );
    const reader = await tokenFor(['api_keys:read']);
    expect((await keys.listApiKeys({}, reader)).apiKeys).toEqual([]);
    await expect(keys.revokeApiKey({ id: '01920000-0000-7000-8000-000000000000' }, reader)).rejects.toMatchObject({
      kind: 'forbidden',
      message: 'this credential lacks the permission api_keys:read_write',
    });
    await expect(keys.listApiKeys({}, await tokenFor(['monitors:read']))).rejects.toMatchObject({ kind: 'forbidden' });
    // Even a credential with all permissions for API keys can't create a key or call methods of the operator.
    const writer = await tokenFor(['api_keys:read_write']);
    const key = { name: 'deploy', permissions: ['api_keys:read'] };
    await expect(keys.issueApiKey(key, writer)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(asAdmin.listServiceCredentials({}, writer)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('after 30 failed exchanges from an address, further ones are refused until 15 minutes have passed', async () => {
    const { secret } = await create({ organizationId: await newOrganization() });
    const guess = formatServiceCredential(Buffer.alloc(32, 9));
    for (let attempt = 1; attempt <= 29; attempt += 1) {
      await expect(exchange(guess)).rejects.toMatchObject({ kind: 'unauthenticated' });
    }
    // Successful exchanges are not counted.
    for (let exchanges = 1; exchanges <= 5; exchanges += 1) expect((await exchange(secret)).token).not.toBe('');
    await expect(exchange(guess)).rejects.toMatchObject({ kind: 'unauthenticated' });
    const counted = await tables.transaction('every organization', (tx) =>
      tx.query('select kind, subject, attempts from attempt_count'),
    );
    const subject = createHash('sha256').update('127.0.0.1').digest();
    expect(counted).toEqual([{ kind: 'service_credential_from_network', subject, attempts: 30 }]);
    const limited = { kind: 'rate_limited', message: 'too many failed exchanges from this address; try again later' };
    await expect(exchange(guess)).rejects.toMatchObject(limited);
    await expect(exchange(secret)).rejects.toMatchObject(limited);
    clock.advance(15 * 60_000 - 1);
    await expect(exchange(secret)).rejects.toMatchObject(limited);
    clock.advance(1);
    expect((await exchange(secret)).token).not.toBe('');
  });
});

test('credentials are listed by organization, without revoked ones and without secrets', async () => {
  const [own, other] = [await newOrganization(), await newOrganization()];
  const first = await create({ organizationId: own });
  const second = await create({ organizationId: own, tokenSeconds: 60 });
  const revoked = await create({ organizationId: own });
  const unbound = await create();
  await admin.revokeServiceCredential({ id: revoked.id });
  await anonymous.exchangeServiceCredential({ secret: first.secret, audience: 'monitor' });

  const { credentials } = await admin.listServiceCredentials({ organizationId: own });
  expect(credentials.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(credentials[0]).toEqual(second.credential);
  expect(credentials[0]).toMatchObject({
    organizationId: own,
    name: 'reports',
    permissions: ['monitors:read'],
    audiences: ['identity', 'monitor'],
    tokenSeconds: 60,
    createdBy: 'service:admin',
  });
  const [used, unused] = [credentials[1]?.lastUsedAt, credentials[0]?.lastUsedAt];
  expect(used && timestampDate(used)).toEqual(clock.now());
  expect(unused).toBeUndefined();
  expect((await admin.listServiceCredentials({ organizationId: other })).credentials).toEqual([]);
  const withoutOrganization = (await admin.listServiceCredentials({})).credentials;
  expect(withoutOrganization.map(({ id }) => id)).toContain(unbound.id);
  expect(withoutOrganization.filter(({ organizationId }) => organizationId !== '')).toEqual([]);
  for (const organizationId of ['01920000-0000-7000-8000-000000000000', 'nonsense']) {
    await expect(admin.listServiceCredentials({ organizationId })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(create({ organizationId })).rejects.toMatchObject({ kind: 'not_found' });
  }
  expect(fixture.logged.join('')).not.toContain(first.secret);
});

test('a credential can be revoked only once', async () => {
  const { id } = await create({ organizationId: await newOrganization() });
  await admin.revokeServiceCredential({ id });
  for (const wrong of [id, '01920000-0000-7000-8000-000000000000', 'nonsense']) {
    await expect(admin.revokeServiceCredential({ id: wrong })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'service credential not found',
    });
  }
});

test('the creation and the revocation are in the audit log of the organization, without the secret', async () => {
  const organizationId = await newOrganization();
  const { id, secret } = await create({ organizationId });
  await admin.revokeServiceCredential({ id });
  const entry = { actor: 'service:admin', target_id: id };
  const audit = await auditOf(organizationId);
  expect(audit).toMatchObject([
    { ...entry, action: 'service_credential.created' },
    { ...entry, action: 'service_credential.revoked' },
  ]);
  expect(JSON.parse(String(audit[0]?.['details']))).toEqual({
    name: 'reports',
    permissions: ['monitors:read'],
    audiences: ['identity', 'monitor'],
    token_seconds: 300,
    expires_at: null,
  });
  expect(JSON.stringify(audit)).not.toContain(secret);
});

test('an organization can have at most 100 credentials, and create at most 500 within 24 hours', async () => {
  const organizationId = await newOrganization();
  const { id } = await create({ organizationId });
  const run = (sql: string, ...values: unknown[]) =>
    tables.transaction({ organizationId }, (tx) => tx.query(sql, values));
  const fill = (count: number, revokedAt: Date | null) =>
    run(
      `insert into service_credential (id, organization_id, name, secret_hash, permissions, audiences, token_seconds,
         created_at, created_by, revoked_at)
       select gen_random_uuid(), organization_id, 'filler', sha256(random()::text::bytea), permissions, audiences,
         token_seconds, created_at, created_by, $2::timestamptz from service_credential, generate_series(1, $1)
       where id = '${id}'`,
      count,
      revokedAt,
    );
  const refused = (message: string) => ({ kind: 'invalid', fields: { service_credentials: [message] } });
  await fill(98, null);
  await create({ organizationId });
  await expect(create({ organizationId })).rejects.toMatchObject(refused('are limited to 100'));
  await run(`update service_credential set revoked_at = created_at where name = 'filler'`);
  await fill(399, clock.now());
  await create({ organizationId });
  await expect(create({ organizationId })).rejects.toMatchObject(refused('are limited to 500 created within 24 hours'));
  clock.advance(DAY_MS + 1_000);
  ({ admin } = clientsOf(identity, 'admin'));
  await create({ organizationId });
});

test('credentials are deleted 30 days after they were revoked or expired', async () => {
  const organizationId = await newOrganization();
  const now = clock.now();
  await create({ organizationId });
  const run = (sql: string, ...values: unknown[]) =>
    tables.transaction({ organizationId }, (tx) => tx.query(sql, values));
  const ended = async (column: 'revoked_at' | 'expires_at', days: number) => {
    const { id } = await create({ organizationId });
    const end = new Date(now.getTime() - days * DAY_MS);
    await run(`update service_credential set name = $2, ${column} = $3 where id = $1`, id, `${column} ${days}`, end);
  };
  for (const days of [29, 31]) {
    await ended('revoked_at', days);
    await ended('expires_at', days);
  }
  await deleteOld({ database: tables, now: () => now });
  const names = await run('select name from service_credential order by name');
  expect(names).toEqual([{ name: 'expires_at 29' }, { name: 'reports' }, { name: 'revoked_at 29' }]);
});

test('row security hides credentials of other organizations, and credentials without an organization', async () => {
  const [own, other] = [await newOrganization(), await newOrganization()];
  await create({ organizationId: other });
  await create();
  const seen = (organizationId: string) =>
    tables.transaction({ organizationId }, (tx) => tx.query('select organization_id from service_credential'));
  expect(await seen(own)).toEqual([]);
  expect(await seen(other)).toEqual([{ organization_id: other }]);
});
