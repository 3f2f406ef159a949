import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { describe, expect, test } from 'vitest';
import { exists } from '../src/files.ts';
import { stopOrphan } from '../src/orphans.ts';
import { identityOf, isRunning } from '../src/process-identity.ts';
import { type ProcessPlan, supervise } from '../src/processes.ts';
import { runProgram } from './run-program.ts';
import { scratchFolder } from './scratch-folder.ts';

function planIn(folder: string, script: string, changes: Partial<ProcessPlan> = {}): ProcessPlan {
  return {
    name: 'subject',
    command: 'sh',
    args: ['-c', script],
    env: { PATH: process.env.PATH ?? '' },
    logFile: join(folder, 'subject.log'),
    pidFile: join(folder, 'subject.json'),
    ...changes,
  };
}

describe('a supervised process', () => {
  test('a supervised process is restarted after it is killed', async () => {
    await using folder = await scratchFolder();
    const said: string[] = [];
    await using subject = supervise(planIn(folder.path, 'exec sleep 3600'), (line) => said.push(line));
    const first = await eventually(() => defined(subject.pid));
    process.kill(first, 'SIGKILL');
    const second = await eventually(() => {
      const pid = defined(subject.pid);
      expect(pid).not.toBe(first);
      return pid;
    });
    expect(identityOf(second)).toBeDefined();
    expect(said).toEqual([expect.stringMatching(/^subject ended \(SIGKILL\)/)]);
  });

  test('a process receives its input when it is known, and again after a restart', async () => {
    await using folder = await scratchFolder();
    const { promise: input, resolve } = Promise.withResolvers<string>();
    const plan = planIn(folder.path, 'echo waiting; cat; exec sleep 3600', { input });
    await using subject = supervise(plan, () => undefined);
    const log = () => readFile(plan.logFile, 'utf8');
    await eventually(async () => expect(await log()).toBe('waiting\n'));
    resolve('secret\n');
    await eventually(async () => expect(await log()).toBe('waiting\nsecret\n'));
    process.kill(defined(subject.pid), 'SIGKILL');
    await eventually(async () => expect(await log()).toBe('waiting\nsecret\n'.repeat(2)));
  });

  test('a process that waits for its input can be stopped', async () => {
    await using folder = await scratchFolder();
    const { promise: input } = Promise.withResolvers<string>();
    const subject = supervise(planIn(folder.path, 'exec cat', { input }), () => undefined);
    const pid = await eventually(() => defined(subject.pid));
    await subject.stop();
    expect(identityOf(pid)).toBeUndefined();
  });

  test('a process is supervised even if its pid file cannot be written', async () => {
    await using folder = await scratchFolder();
    const said: string[] = [];
    const plan = planIn(folder.path, 'echo started; exec sleep 3600', { pidFile: join(folder.path, 'missing', 'pid') });
    await using subject = supervise(plan, (line) => said.push(line));
    const pid = await eventually(() => defined(subject.pid));
    await eventually(() => expect(said).toEqual([expect.stringContaining('could not be written')]));
    await eventually(async () => expect(await readFile(plan.logFile, 'utf8')).toBe('started\n'));
    expect(subject.pid).toBe(pid);
    await subject.stop();
    expect(identityOf(pid)).toBeUndefined();
  });

  test('a supervised process gets only the environment in its plan, and its output is written to its log', async () => {
    await using folder = await scratchFolder();
    const plan = planIn(folder.path, 'env; echo complaint >&2; exec sleep 3600', { env: { ONLY: 'this' } });
    await using _subject = supervise({ ...plan, command: '/bin/sh' }, () => undefined);
    const log = await eventually(async () => {
      const text = await readFile(plan.logFile, 'utf8');
      expect(text).toContain('complaint');
      return text;
    });
    expect(log).toContain('ONLY=this');
    expect(log).not.toContain('VITEST');
  });

  test('a process that keeps crashing causes an error with the end of its log', async () => {
    await using folder = await scratchFolder();
    await using subject = supervise(planIn(folder.path, 'echo the reason; exit 3'), () => undefined);
    const ready = subject.ready(async () => false);
    await expect(ready).rejects.toThrow(/subject does not start \(exit code 3\)[\s\S]*the reason/);
  });

  test('a missing program causes an error and does not crash the supervisor', async () => {
    await using folder = await scratchFolder();
    const plan = planIn(folder.path, '', { command: '/nonexistent/program' });
    await using subject = supervise(plan, () => undefined);
    await expect(subject.ready(async () => false)).rejects.toThrow(/does not start \(spawn .*ENOENT\)/);
  });

  test('a supervised process is not restarted after it is stopped', async () => {
    await using folder = await scratchFolder();
    const plan = planIn(folder.path, 'exec sleep 3600');
    const subject = supervise(plan, () => undefined);
    const process = defined(identityOf(await eventually(() => defined(subject.pid))));
    await subject.stop();
    expect(isRunning(process)).toBe(false);
    expect(subject.pid).toBeUndefined();
    expect(await exists(plan.pidFile)).toBe(false);
  });

  test('a process that ignores SIGTERM is killed with its child processes', async () => {
    await using folder = await scratchFolder();
    const script = 'trap "" TERM; sleep 3600 & echo $!; wait; wait';
    const plan = planIn(folder.path, script, { stopTimeoutMs: 100 });
    const subject = supervise(plan, () => undefined);
    const grandchild = await eventually(async () => {
      const pid = Number(await readFile(plan.logFile, 'utf8'));
      expect(pid).toBeGreaterThan(0);
      return defined(identityOf(pid));
    });
    await subject.stop();
    await eventually(() => expect(isRunning(grandchild)).toBe(false));
  });
});

describe('a process whose supervisor was killed', () => {
  test('a process whose supervisor was killed is found and stopped', async () => {
    await using folder = await scratchFolder();
    const pidFile = join(folder.path, 'sleeper.json');
    await using program = await runProgram('supervising-program.ts', pidFile, join(folder.path, 'sleeper.log'));
    const orphan = defined(identityOf(Number(program.firstLine)));
    await program.kill();
    expect(isRunning(orphan)).toBe(true);
    expect(await stopOrphan(pidFile)).toBe(true);
    expect(isRunning(orphan)).toBe(false);
    expect(await stopOrphan(pidFile)).toBe(false);
  });

  test('another process with the same pid is not killed', async () => {
    await using folder = await scratchFolder();
    const stranger = spawn('sleep', ['3600']);
    await once(stranger, 'spawn');
    const identity = defined(identityOf(defined(stranger.pid)));
    const pidFile = join(folder.path, 'stranger.json');
    const earlier = { pid: identity.pid, began: 'long ago' };
    await writeFile(pidFile, JSON.stringify({ child: earlier, supervisor: { pid: 1, began: 'long ago' } }));
    expect(await stopOrphan(pidFile)).toBe(false);
    expect(isRunning(identity)).toBe(true);
    stranger.kill('SIGKILL');
  });

  test('a process with a running supervisor is not an orphan', async () => {
    await using folder = await scratchFolder();
    const plan = planIn(folder.path, 'exec sleep 3600');
    await using subject = supervise(plan, () => undefined);
    await eventually(() => defined(subject.pid));
    await expect(stopOrphan(plan.pidFile)).rejects.toThrow(`looked after by process ${process.pid}`);
    expect(subject.pid).toBeDefined();
  });
});

function defined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('is undefined');
  return value;
}
