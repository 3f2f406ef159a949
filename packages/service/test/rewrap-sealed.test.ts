import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase, sqlMigration } from '@tocsin/database';
import { createRuntime } from '@tocsin/runtime';
import { eventually, testDatabase } from '@tocsin/testing';
import { createVault, generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startRewrapping } from '../src/rewrap-sealed.ts';

const keyTexts = { k1: generateVaultKey('k1'), k2: generateVaultKey('k2'), k3: generateVaultKey('k3') };
const vaultOf = (...names: (keyof typeof keyTexts)[]) =>
  createVault(parseVaultKeys(names.map((name) => keyTexts[name]).join(',')));

const stack = new AsyncDisposableStack();
const storage = stack.use(await testDatabase('rewrap'));
const secretTable = sqlMigration(
  '001-secret',
  'create table secret (a integer, b text, sealed text, former text, primary key (a, b))',
);
const database = stack.use(
  await openDatabase({ url: storage.url, entities: [], migrations: [secretTable], poolSize: 4 }),
);
afterAll(() => stack.disposeAsync());

const run = <Row>(sql: string, parameters: readonly unknown[] = []) =>
  database.transaction('every organization', (tx) => tx.query<Row>(sql, parameters));

const context = (a = '', b = '') => `secret/${a}/${b}`;
const columns = [{ table: 'secret', column: 'sealed', keys: ['a', 'b'], context }] as const;

const insert = (a: number, b: string, sealed: string | null) =>
  run('insert into secret values ($1, $2, $3)', [a, b, sealed]);
const keysOf = async () =>
  (await run<{ key: string }>("select split_part(sealed, '.', 2) as key from secret where sealed is not null")).map(
    ({ key }) => key,
  );

/** Returns the number of sealed texts by vault key, from the metrics of a runtime. */
async function counted(runtime: ReturnType<typeof createRuntime>) {
  const metric = await runtime.metrics.getSingleMetric('tocsin_vault_sealed')?.get();
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels.key, value]));
}

beforeEach(() => run('delete from secret'));

test('several replicas together wrap every secret again with the primary key, and lose none', async () => {
  const old = vaultOf('k1');
  for (let index = 0; index < 450; index += 1)
    await insert(index, 'x y', old.seal(`s${index}`, context(String(index), 'x y')));
  await insert(1_000, 'none', null);
  const vault = vaultOf('k2', 'k1');
  const runtimes = [createRuntime('one', { logLevel: 'silent' }), createRuntime('two', { logLevel: 'silent' })];
  await using replicas = new AsyncDisposableStack();
  for (const runtime of runtimes) replicas.use(startRewrapping({ database, vault, runtime, columns }));
  await eventually(async () => expect(new Set(await keysOf())).toEqual(new Set(['k2'])));
  for (const runtime of runtimes) await eventually(async () => expect(await counted(runtime)).toEqual({ k2: 450 }));
  const fresh = vaultOf('k2');
  for (const { a, b, sealed } of await run<{ a: number; b: string; sealed: string }>(
    'select * from secret where sealed is not null',
  ))
    expect(fresh.open(sealed, context(String(a), b))).toBe(`s${a}`);
});

test("texts that can't be opened are left unchanged and counted as failures, and don't block other texts", async () => {
  await insert(1, 'lost', vaultOf('k3').seal('lost', context('1', 'lost')));
  await insert(2, 'altered', vaultOf('k1').seal('altered', 'another context'));
  await insert(3, 'fine', vaultOf('k1').seal('fine', context('3', 'fine')));
  const runtime = createRuntime('one', { logLevel: 'silent' });
  await using _ = startRewrapping({ database, vault: vaultOf('k2', 'k1'), runtime, columns });
  await eventually(async () => expect(await counted(runtime)).toEqual({ k1: 1, k2: 1, k3: 1 }));
  expect((await keysOf()).sort()).toEqual(['k1', 'k2', 'k3']);
  const failures = await runtime.metrics.getSingleMetric('tocsin_vault_rewrap_failures_total')?.get();
  // Every attempt counts both texts that can't be opened.
  expect(failures?.values[0]?.value).toBeGreaterThanOrEqual(2);
});

test('two columns of one table are wrapped again and counted together', async () => {
  const old = vaultOf('k1');
  const sealed = old.seal('now', context('1', 'x'));
  await run('insert into secret values (1, $1, $2, $3)', ['x', sealed, old.seal('before', context('1', 'x'))]);
  const runtime = createRuntime('one', { logLevel: 'silent' });
  const both = [...columns, { ...columns[0], column: 'former' }];
  await using _replica = startRewrapping({ database, vault: vaultOf('k2', 'k1'), runtime, columns: both });
  await eventually(async () => expect(await counted(runtime)).toEqual({ k2: 2 }));
});

test('keys in a file are read again while the program runs, and an invalid file changes nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vault-keys-'));
  await using files = new AsyncDisposableStack();
  files.defer(() => rm(folder, { recursive: true }));
  const keysFile = join(folder, 'keys');
  await writeFile(keysFile, `${keyTexts.k1}\n`);
  const vault = vaultOf('k1');
  await insert(1, 'x', vault.seal('secret', context('1', 'x')));
  const runtime = createRuntime('reads', { logLevel: 'silent' });
  await using _rewrapping = startRewrapping({ database, vault, keysFile, runtime, columns });
  await eventually(async () => expect(await counted(runtime)).toEqual({ k1: 1 }));

  const slowly = { timeoutMs: 30_000 };
  await writeFile(keysFile, `${keyTexts.k2},${keyTexts.k1}\n`);
  await eventually(async () => expect(await keysOf()).toEqual(['k2']), slowly);
  expect(vault.primaryKeyId).toBe('k2');
  await writeFile(keysFile, 'k3:too short');
  // This is longer than the interval at which the file is read.
  await delay(11_000);
  expect(vault.primaryKeyId).toBe('k2');
  await writeFile(keysFile, `${keyTexts.k3},${keyTexts.k2}\n`);
  await eventually(async () => expect(await keysOf()).toEqual(['k3']), slowly);
  const [row] = await run<{ sealed: string }>('select sealed from secret');
  expect(vault.open(row?.sealed ?? '', context('1', 'x'))).toBe('secret');
}, 120_000);
