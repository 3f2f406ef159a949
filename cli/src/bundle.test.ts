import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the built command is one file that needs no packages, and refuses to run on an older Node.js', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
  try {
    const file = join(folder, 'tocsin.mjs');
    execFileSync(process.execPath, [join(import.meta.dirname, '..', 'build.ts'), file]);
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [file, ...args], { encoding: 'utf8', cwd: folder });
    expect(run('--help')).toContain('Usage: tocsin COMMAND');
    expect(JSON.parse(run('schema'))).toHaveProperty('properties.monitors');

    const older = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const started = spawnSync(process.execPath, ['--import', older, file, '--help'], { encoding: 'utf8' });
    expect(started).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'tocsin needs Node.js 22.13 or later; this is 20.20.2.\n',
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
