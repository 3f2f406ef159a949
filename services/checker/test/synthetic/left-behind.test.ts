import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { eventually } from '@tocsin/testing';
import { beforeAll, expect, test } from 'vitest';
import type { Observation } from '../../src/domain/observation.ts';
import { leftOver, ownRunsFolder, processesOfRuns } from './left-over.ts';
import { page, serve, startSynthetic } from './start-synthetic.ts';

const checks: Awaited<ReturnType<typeof startSynthetic>>[] = [];
beforeAll(async () => {
  ownRunsFolder();
  checks.push(await startSynthetic());
}, 180_000);

/** Starts a check that never ends, and waits until its script has begun. */
async function startEndless(start: (script: string) => void): Promise<void> {
  const target = await serve(page('<p>Hello'));
  start(`await page.goto('${target.url}');\nvoid request.get('${target.url}/begun');\nfor (;;);`);
  await eventually(async () => expect(target.requests).toContain('GET /begun'), { timeoutMs: 30_000 });
}

function pidOf(part: string): number {
  const found = processesOfRuns().find(({ command }) => command.includes(part));
  if (!found) throw new Error(`no process of a run is called ${part}`);
  return found.pid;
}

test.each([
  ['the program of a check', 'run-program.ts', 'unknown', 'the process of the check ended by itself (SIGKILL)'],
  ['the browser', '--remote-debugging-pipe', 'unknown', 'the browser ended in the middle of the check'],
  ['the sandbox', 'runner.ts', 'fail', 'the script ended its process, or ran out of memory'],
])(
  'when %s is killed, the result names the cause and no process of the check remains',
  { timeout: 90_000 },
  async (_, part, outcome, error) => {
    let seen: Promise<Observation> | undefined;
    await startEndless((script) => {
      seen = checks[0]?.run(script, 60_000);
    });
    process.kill(pidOf(part), 'SIGKILL');
    expect(await seen).toMatchObject({ outcome, error });
    await eventually(async () => expect(leftOver()).toEqual([]));
  },
);

test('killing the checker during a check ends all processes of the check', { timeout: 90_000 }, async () => {
  const chromium = await installChromium(process.env);
  const ended: Promise<unknown>[] = [];
  let kill = () => false;
  await startEndless((script) => {
    const program = join(import.meta.dirname, 'one-check.ts');
    const checker = spawn(process.execPath, [program, script, chromium], { stdio: ['ignore', 'ignore', 'inherit'] });
    ended.push(once(checker, 'close'));
    kill = () => checker.kill('SIGKILL');
  });
  expect(leftOver()).not.toEqual([]);
  kill();
  await Promise.all(ended);
  await eventually(async () => expect(leftOver()).toEqual([]), { timeoutMs: 20_000 });
});

test('twenty checks leave no processes or files', { timeout: 180_000 }, async () => {
  for (let four = 0; four < 5; four += 1) {
    const script = `await page.setContent('<title>Number ${four}'); await expect(page).toHaveTitle('Number ${four}');`;
    const seen = await Promise.all(Array.from({ length: 4 }, () => checks[0]?.run(script, 30_000)));
    expect(seen.map((end) => end?.outcome)).toEqual(['pass', 'pass', 'pass', 'pass']);
  }
  await eventually(async () => expect(leftOver()).toEqual([]));
});
