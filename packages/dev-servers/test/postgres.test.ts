import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually, freePort } from '@tocsin/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type LocalPostgres, startPostgres } from '../src/postgres.ts';
import { identityOf, isRunning } from '../src/process-identity.ts';
import { runProgram } from './run-program.ts';
import { scratchFolder } from './scratch-folder.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

async function optionsIn(folder: string) {
  return { dataDir: join(folder, 'postgres'), port: await freePort(), log: join(folder, 'postgres.log') };
}

test('the data of PostgreSQL survives a restart', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  const first = await startPostgres(options);
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();
  await using second = await startPostgres(options);
  expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([42]);
});

test('text is UTF-8 and is sorted the same on every machine', async () => {
  await using folder = await scratchFolder();
  await using postgres = await startPostgres(await optionsIn(folder.path));
  expect(await query(postgres.url, 'SHOW server_encoding')).toEqual(['UTF8']);
  expect(await query(postgres.url, "SELECT upper('é'), 'B' < 'a' COLLATE \"default\"")).toEqual(['É', true]);
});

test('the shared buffers of PostgreSQL have the given size', async () => {
  await using folder = await scratchFolder();
  await using postgres = await startPostgres({ ...(await optionsIn(folder.path)), sharedBuffersMb: 16 });
  expect(await query(postgres.url, 'SHOW shared_buffers')).toEqual(['16MB']);
});

test('a killed server is restarted and recovers all committed data', async () => {
  await using folder = await scratchFolder();
  await using postgres = await startPostgres(await optionsIn(folder.path));
  await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const killed = await killPostmaster(postgres);
  await eventually(async () => expect(await query(postgres.url, 'SELECT answer FROM kept')).toEqual([42]));
  expect(postgres.pid).not.toBe(killed);
});

test('the next start stops a server that a killed supervisor left running, and keeps its data', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  await using program = await runProgram('postgres-program.ts', options.dataDir, String(options.port), options.log);
  const orphan = identityOf(Number(program.firstLine));
  if (orphan === undefined) throw new Error('the program did not start PostgreSQL');
  const { password } = JSON.parse(await readFile(join(options.dataDir, 'settings.json'), 'utf8'));
  const url = `postgres://postgres:${password}@127.0.0.1:${options.port}/tocsin`;
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await program.kill();
  expect(isRunning(orphan)).toBe(true);
  await using next = await startPostgres(options);
  expect(isRunning(orphan)).toBe(false);
  expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([42]);
});

test('a postmaster.pid with the pid of another process does not prevent the start', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  await (await startPostgres(options)).stop();
  await writeFile(join(options.dataDir, 'cluster', 'postmaster.pid'), `${process.pid}\n`);
  await using postgres = await startPostgres(options);
  expect(await query(postgres.url, 'SELECT 1')).toEqual([1]);
});

test("a data folder can't be used by two servers", async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  await using first = await startPostgres(options);
  const second = startPostgres({ ...options, port: await freePort() });
  await expect(second).rejects.toThrow(/looked after by process/);
  expect(await query(first.url, 'SELECT 1')).toEqual([1]);
});

test('the error for a port in use is a readable sentence', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  const stranger = createServer().listen(options.port, '127.0.0.1');
  await once(stranger, 'listening');
  await expect(startPostgres(options)).rejects.toThrow(`Port ${options.port}, meant for PostgreSQL, is taken`);
  stranger.close();
});

test('the error for data of another PostgreSQL version is a readable sentence', async () => {
  await using folder = await scratchFolder();
  const options = await optionsIn(folder.path);
  await (await startPostgres(options)).stop();
  await writeFile(join(options.dataDir, 'cluster', 'PG_VERSION'), '15\n');
  await expect(startPostgres(options)).rejects.toThrow(/was made by PostgreSQL 15, .* brings PostgreSQL 18/);
});

test('connections are accepted only from this machine and with the password', async () => {
  await using folder = await scratchFolder();
  await using postgres = await startPostgres(await optionsIn(folder.path));
  const wrong = new URL(postgres.url);
  wrong.password = 'wrong';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  expect(await query(postgres.url, 'SHOW listen_addresses')).toEqual(['127.0.0.1']);
});

async function killPostmaster(postgres: LocalPostgres): Promise<number> {
  const pid = postgres.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await eventually(() => expect(postgres.pid).not.toBe(pid));
  return pid;
}
