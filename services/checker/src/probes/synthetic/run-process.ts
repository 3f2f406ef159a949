import { spawn } from 'node:child_process';
import { chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptStep } from '../../domain/script-run.ts';
import type { LeastUser } from './least-user.ts';
import { killTree, killWithin, residentBytesOfTree } from './process-memory.ts';
import type { RunEnd, RunEvent, RunOrder } from './protocol.ts';

export const RUN_PROGRAM = join(import.meta.dirname, 'run-program.ts');

const START_WITHIN_MS = 30_000;
/** Milliseconds that the process has, after the check's timeout, to take a screenshot and exit. */
const END_WITHIN_MS = 8_000;
const LOOK_EVERY_MS = 250;
/** Maximum output of a run, in bytes. A run within its limits produces less. */
const MAX_OUTPUT = 2 * 1024 * 1024;

export interface RunOptions {
  readonly order: RunOrder;
  readonly user: LeastUser | undefined;
  readonly memoryMb: number;
}

export interface RunReport {
  readonly end: RunEnd;
  /** Whether the browser was ready and the script started. */
  readonly hasStarted: boolean;
  readonly steps: readonly ScriptStep[];
  readonly log: readonly string[];
}

/** Runs one script with a browser in separate processes, and returns after all of them have ended. */
export async function runInProcess({ order, user, memoryMb }: RunOptions): Promise<RunReport> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tocsin-run-')));
  if (user) await chown(folder, user.uid, user.gid);
  // The environment of the checker is not passed on, because it contains the service's secret.
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' };
  const child = spawn(process.execPath, [RUN_PROGRAM], {
    ...user,
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const steps: ScriptStep[] = [];
  const log: string[] = [];
  const ended = Promise.withResolvers<RunEnd>();
  let hasStarted = false;
  const began = performance.now();
  const end = (outcome: RunEnd['outcome'], error: string) =>
    ended.resolve({ outcome, error, ms: Math.round(performance.now() - began) });

  let limit = setTimeout(
    () => end('unknown', `the browser was not ready within ${START_WITHIN_MS} ms`),
    START_WITHIN_MS,
  );
  const watch = setInterval(() => {
    if (child.pid === undefined || residentBytesOfTree(child.pid) <= memoryMb * 1024 * 1024) return;
    end('fail', `the script and its pages used more than ${memoryMb} MB of memory`);
  }, LOOK_EVERY_MS);

  function onEvent(event: RunEvent): void {
    if ('log' in event) log.push(event.log);
    else if ('step' in event) steps.push(event.step);
    else if ('end' in event) ended.resolve(event.end);
    else {
      hasStarted = true;
      clearTimeout(limit);
      const most = order.timeoutMs + END_WITHIN_MS;
      limit = setTimeout(() => end('timeout', `not done within ${order.timeoutMs} ms`), most);
    }
  }

  let rest = '';
  let length = 0;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    length += piece.length;
    if (length > MAX_OUTPUT) return end('unknown', 'the process of the check said too much');
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(JSON.parse(line));
  });
  child.once('error', (error) => end('unknown', `the process of the check did not start: ${error.message}`));
  child.once('close', (code, signal) => end('unknown', `the process of the check ended by itself (${signal ?? code})`));
  child.stdin.on('error', () => {});
  // The input stays open. If it is closed, the process assumes that the checker has died, and ends.
  child.stdin.write(`${JSON.stringify(order)}\n`);
  try {
    return { end: await ended.promise, hasStarted, steps, log };
  } finally {
    clearTimeout(limit);
    clearInterval(watch);
    if (child.pid !== undefined) killTree(child.pid);
    killWithin(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
