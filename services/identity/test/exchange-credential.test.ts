import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toLimits } from '@tocsin/enums';
import { CredentialKind } from '@tocsin/proto/identity/v1/identity';
import { createRemoteTokenVerifier } from '@tocsin/runtime';
import { manualClock } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatApiKey } from '../src/app/api-key.ts';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

// Tokens are verified against the system time, so this clock starts at the system time.
const clock = manualClock(new Date());
const fixture = await identityFixture();
const identity = await fixture.start({ now: clock.now });
const gateway = clientsOf(identity, 'gateway').identity;
const { admin } = clientsOf(identity, 'admin');
const tables = await fixture.openTables();
const audiences = ['monitor', 'notifier'];
let organizationId = '';

beforeAll(async () => {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  organizationId = organization?.id ?? '';
});
afterAll(() => fixture[Symbol.asyncDispose]());

function createKey(permissions = ['monitors:read_write', 'incidents:read'], expiresAt?: Date) {
  return admin.createApiKey({
    organizationId,
    name: 'deploy',
    permissions,
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  });
}

async function lastUsedAt(id: string): Promise<Date | undefined> {
  const rows = await tables.transaction({ organizationId }, (tx) =>
    tx.query<{ last_used_at: Date }>('select last_used_at from api_key where id = $1', [id]),
  );
  return rows[0]?.last_used_at;
}

test('a key is exchanged for its organization, its credential and a token of at most 30 s', async () => {
  const { id, key } = await createKey();
  const response = await gateway.exchangeCredential({ secret: key, audiences });
  expect(response.organization).toMatchObject({ id: organizationId, name: 'Acme', accountNumber: 1n });
  expect(response.credential).toMatchObject({
    id,
    kind: CredentialKind.API_KEY,
    name: 'deploy',
    permissions: ['incidents:read', 'monitors:read_write'],
    actorEmail: 'jane@example.com',
  });
  const lifetime = response.expiresAt ? timestampDate(response.expiresAt).getTime() - clock.now().getTime() : 0;
  expect(lifetime).toBeGreaterThan(28_000);
  expect(lifetime).toBeLessThanOrEqual(30_000);

  const caller = await createRemoteTokenVerifier(urlOf(identity)).verify(response.tokens.monitor ?? '', 'monitor');
  expect(caller).toEqual({
    kind: 'credential',
    organizationId,
    credentialId: id,
    actorEmail: 'jane@example.com',
    permissions: ['incidents:read', 'monitors:read_write'],
    limits: toLimits({}),
  });
});

test('malformed, unknown, revoked and expired keys get the same error', async () => {
  const revoked = await createKey();
  const ending = await createKey(['monitors:read'], new Date(clock.now().getTime() + 60_000));
  await gateway.exchangeCredential({ secret: revoked.key, audiences });
  await gateway.exchangeCredential({ secret: ending.key, audiences });
  await tables.transaction({ organizationId }, (tx) =>
    tx.query('update api_key set revoked_at = now() where id = $1', [revoked.id]),
  );
  clock.advance(60_000);

  const secrets = ['', 'nonsense', formatApiKey(Buffer.alloc(32, 7)), `${revoked.key}x`, revoked.key, ending.key];
  const refusals = await Promise.all(
    secrets.map((secret) => gateway.exchangeCredential({ secret, audiences }).catch((error: unknown) => error)),
  );
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      kind: 'unauthenticated',
      message: 'the credential is unknown, revoked or expired',
    });
  }
});

test('a token expires no later than its key', async () => {
  const end = new Date(clock.now().getTime() + 5_000);
  const { key } = await createKey(['monitors:read'], end);
  const { expiresAt } = await gateway.exchangeCredential({ secret: key, audiences });
  expect(expiresAt && timestampDate(expiresAt).getTime()).toBeLessThanOrEqual(end.getTime());
});

test('the last use of a key is recorded at most once a minute', async () => {
  const { id, key } = await createKey();
  expect(await lastUsedAt(id)).toBeNull();
  await gateway.exchangeCredential({ secret: key, audiences });
  const first = await lastUsedAt(id);
  expect(first).toEqual(clock.now());
  clock.advance(59_000);
  await gateway.exchangeCredential({ secret: key, audiences });
  expect(await lastUsedAt(id)).toEqual(first);
  clock.advance(1_000);
  await gateway.exchangeCredential({ secret: key, audiences });
  expect(await lastUsedAt(id)).toEqual(clock.now());
});

test('logs and tables do not contain a key', async () => {
  const { key } = await createKey();
  await gateway.exchangeCredential({ secret: key, audiences });
  await gateway.exchangeCredential({ secret: `${key}x`, audiences }).catch(() => undefined);
  // Rename a table to cause a database error, whose message is logged.
  const rename = (from: string, to: string) =>
    tables.transaction('every organization', (tx) => tx.query(`alter table ${from} rename to ${to}`));
  await rename('api_key', 'api_key_away');
  await expect(gateway.exchangeCredential({ secret: key, audiences })).rejects.toMatchObject({
    kind: 'internal',
  });
  await rename('api_key_away', 'api_key');

  const digits = key.slice('tocsin_'.length);
  const dump = await tables.transaction('every organization', async (tx) => {
    const names = await tx.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = current_schema()',
    );
    const rows: string[] = [];
    for (const { name } of names) {
      for (const { row } of await tx.query<{ row: string }>(`select t::text as row from "${name}" t`)) rows.push(row);
    }
    return rows.join('\n');
  });
  // The dump includes the row of the key, whose name is `deploy`. It shows bytes in hex.
  expect(dump).toContain('deploy');
  expect(dump).not.toContain(digits);
  expect(dump).not.toContain(Buffer.from(key).toString('hex'));
  expect(fixture.logged.join('')).toContain('handler failed');
  expect(fixture.logged.join('')).not.toContain(digits);
});
