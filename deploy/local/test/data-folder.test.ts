import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { rememberPorts } from '@tocsin/dev-servers/ports';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';
import { lockDataFolder } from '../data-folder.ts';
import { openSecrets } from '../secrets.ts';

test('a data folder can be locked only once, and the error for a locked folder contains its path', async () => {
  await using folder = await scratchFolder();
  await using _lock = await lockDataFolder(folder.path);
  await expect(lockDataFolder(folder.path)).rejects.toThrow(`already runs on the data in ${folder.path}`);
});

test('the lock of a dead process can be acquired, even if another process now has the same pid', async () => {
  await using folder = await scratchFolder();
  await writeFile(join(folder.path, 'lock.json'), JSON.stringify({ pid: process.pid, began: 'long ago' }));
  await using _lock = await lockDataFolder(folder.path);
  expect(JSON.parse(await readFile(join(folder.path, 'lock.json'), 'utf8'))).not.toMatchObject({ began: 'long ago' });
});

test('secrets are generated once in a file that only its owner can read, and missing secrets are added', async () => {
  await using folder = await scratchFolder();
  const first = await openSecrets(folder.path);
  expect(await openSecrets(folder.path)).toEqual(first);
  const file = join(folder.path, 'secrets.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(Buffer.from(first.vaultKeys.replace(/^k1:/, ''), 'base64')).toHaveLength(32);

  const { checker: _, ...others } = first.services;
  await writeFile(file, JSON.stringify({ ...first, services: others }));
  const completed = await openSecrets(folder.path);
  expect(completed.services).toMatchObject(others);
  expect(completed.services.checker).toMatch(/^[\w-]{43}$/);
});

test('rememberPorts() returns the stored ports, except for a port that another program uses', async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, 'ports.json');
  const first = await rememberPorts(file, ['one', 'two']);
  expect(await rememberPorts(file, ['one', 'two'])).toEqual(first);
  const stranger = createServer().listen(first.one, '127.0.0.1');
  await once(stranger, 'listening');
  const second = await rememberPorts(file, ['one', 'two']);
  stranger.close();
  expect(second.two).toBe(first.two);
  expect(second.one).not.toBe(first.one);
});

test('ports that another process has reserved are not used', async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, 'ports.json');
  const pick = `const { pickFreePort } = await import('@tocsin/dev-servers/ports'); console.log(await pickFreePort());`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', `${pick} setInterval(() => {}, 1000);`], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(other, 'exit');
  const [output] = await once(other.stdout, 'data');
  const theirs = Number(output);
  await writeFile(file, JSON.stringify({ one: theirs }));
  const whileReserved = await rememberPorts(file, ['one']);
  other.kill();
  await exited;
  expect(whileReserved.one).not.toBe(theirs);
  await writeFile(file, JSON.stringify({ one: theirs }));
  expect(await rememberPorts(file, ['one'])).toEqual({ one: theirs });
});
