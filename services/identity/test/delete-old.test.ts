import type { Transaction } from '@tocsin/database';
import { afterAll, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const DAY_MS = 24 * 3_600_000;

const fixture = await identityFixture();
const identity = await fixture.start();
const { admin } = clientsOf(identity, 'admin');
const database = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

async function organizationWithKeys(...names: string[]) {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  const organizationId = organization?.id ?? '';
  for (const name of names) await admin.createApiKey({ organizationId, name, permissions: ['monitors:read'] });
  const inTables = <T>(work: (tx: Transaction) => Promise<T>) => database.transaction({ organizationId }, work);
  return {
    organizationId,
    run: (sql: string, ...values: unknown[]) => inTables((tx) => tx.query(sql, values)),
    keys: () => inTables((tx) => tx.query('select name from api_key order by name')),
    actions: () => inTables((tx) => tx.query('select action from audit_log')),
  };
}

async function deleteAllOld(now: Date) {
  for (let runs = 0; (await deleteOld({ database, now: () => now })) === 'again'; runs += 1)
    expect(runs).toBeLessThan(9);
}

test('keys are deleted 30 days after they were revoked or expired', async () => {
  const { run, keys } = await organizationWithKeys('revoked', 'expired', 'just ended', 'works', 'expires later');
  const now = new Date();
  const [longAgo, recently] = [31, 29].map((days) => new Date(now.getTime() - days * DAY_MS));
  await run(`update api_key set revoked_at = $1 where name = 'revoked'`, longAgo);
  await run(`update api_key set expires_at = $1 where name = 'expired'`, longAgo);
  await run(`update api_key set revoked_at = $1 where name = 'just ended'`, recently);
  await run(`update api_key set expires_at = $1 where name = 'expires later'`, new Date(now.getTime() + DAY_MS));
  await deleteAllOld(now);
  expect(await keys()).toEqual([{ name: 'expires later' }, { name: 'just ended' }, { name: 'works' }]);
});

test('a chain of keys, each of which created the next one, is deleted as a whole', async () => {
  const { run, keys } = await organizationWithKeys('a', 'b', 'c');
  const now = new Date();
  for (const [child, parent] of [
    ['b', 'a'],
    ['c', 'b'],
  ]) {
    await run(
      `update api_key set created_by_key_id = (select id from api_key where name = $2 and revoked_at is null
         and organization_id = api_key.organization_id limit 1) where name = $1`,
      child,
      parent,
    );
  }
  await run('update api_key set revoked_at = $1', new Date(now.getTime() - 31 * DAY_MS));
  await deleteAllOld(now);
  expect(await keys()).toEqual([]);
});

test('audit entries are deleted after 400 days', async () => {
  const { run, actions } = await organizationWithKeys('key');
  const before = await actions();
  const now = new Date();
  await run(
    `update audit_log set occurred_at = $1 where action = 'api_key.created'`,
    new Date(now.getTime() - 401 * DAY_MS),
  );
  await deleteAllOld(now);
  expect(await actions()).toEqual(before.filter((row) => row['action'] !== 'api_key.created'));
});

test('an organization creates at most 500 keys within 24 hours, even if it revokes them', async () => {
  const { organizationId, run } = await organizationWithKeys('first');
  const fill = (count: number) =>
    run(
      `insert into api_key (id, organization_id, user_id, name, secret_hash, permissions, created_at, revoked_at)
       select gen_random_uuid(), organization_id, user_id, 'filler', sha256(random()::text::bytea), permissions,
              created_at, created_at from api_key, generate_series(1, $1) where name = 'first'`,
      count,
    );
  await fill(498);
  const create = () => admin.createApiKey({ organizationId, name: 'next', permissions: ['monitors:read'] });
  await create();
  await expect(create()).rejects.toMatchObject({
    kind: 'invalid',
    fields: { api_keys: ['are limited to 500 created within 24 hours'] },
  });
  await run(`update api_key set created_at = created_at - interval '25 hours' where name = 'filler'`);
  await create();
});
