import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runInProcess } from '../../src/probes/synthetic/run-process.ts';

const folder = await mkdtemp(join(tmpdir(), 'tocsin-chromium-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a script with a browser that prints a message and exits. */
async function runWith(message: string) {
  const chromium = join(folder, 'chromium');
  await writeFile(chromium, `#!/bin/sh\necho "${message}" >&2\nexit 1\n`);
  await chmod(chromium, 0o755);
  const order = {
    script: `throw new Error('No usable sandbox!')`,
    secrets: {},
    timeoutMs: 5_000,
    allowPrivateTargets: '',
    closedPorts: [],
    chromium,
    chromiumSandbox: true,
    deno: 'deno',
  };
  return runInProcess({ order, user: undefined, memoryMb: 1_024 });
}

test("a run says so if Chromium can't use its sandbox, and starts no script", async () => {
  expect(await runWith('[1:1:FATAL:zygote_host.cc(128)] No usable sandbox! Update your kernel')).toMatchObject({
    end: {
      outcome: 'unknown',
      error: 'the browser did not start: No usable sandbox! Update your kernel',
      noSandbox: true,
    },
    hasStarted: false,
  });
});

test('a run reports other failures of the browser without the mark for the sandbox', async () => {
  const { end, hasStarted } = await runWith('error while loading shared libraries: libnss3.so');
  expect(end).toMatchObject({ outcome: 'unknown', error: expect.stringContaining('libnss3.so') });
  expect(end.noSandbox).toBeUndefined();
  expect(hasStarted).toBe(false);
});
