import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines, rotateLog } from './log-files.ts';
import type { PidFile } from './orphans.ts';
import { messageOf, Problem } from './problem.ts';
import { identityOf } from './process-identity.ts';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Environment of the process. No other variables are inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Text that the process receives on stdin as soon as the text is known. Without it, stdin is empty. */
  readonly input?: Promise<string>;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** File to which stdout and stderr are appended. */
  readonly logFile: string;
  /** File that identifies the running process, for `stopOrphan` after a crash of the supervisor. */
  readonly pidFile: string;
  readonly stopSignal?: 'SIGTERM' | 'SIGINT';
  readonly stopTimeoutMs?: number;
  /** Runs before each start and restart. */
  readonly beforeStart?: () => Promise<void>;
}

export interface SupervisedProcess extends AsyncDisposable {
  readonly name: string;
  /** Pid of the running process; undefined while it is being restarted. */
  readonly pid: number | undefined;
  /**
   * Waits until `check` returns true.
   * @throws Problem with the last lines of the log if the process has died three times or the time is up.
   */
  ready(check: () => Promise<boolean>, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>;
  /** Kills the process, which is then started again. */
  kill(): void;
  /** Stops the process permanently: sends the stop signal, and SIGKILL after `stopTimeoutMs` (default: 15 s). */
  stop(): Promise<void>;
}

const firstDelayMs = 250;
const longestDelayMs = 15_000;
const calmMs = 30_000;
const deathsThatMeanFailure = 3;
const rotateEveryMs = 10_000;

/**
 * Starts a process and restarts it whenever it ends by itself. The restart delay doubles from 250 ms up to 15 s, and is
 * reset after the process has run for 30 s. The process has its own session, so that Ctrl-C in the terminal reaches
 * only the supervisor, which then stops its processes in order.
 */
export function supervise(plan: ProcessPlan, say: (line: string) => void): SupervisedProcess {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let deaths = 0;
  let lastEnding = '';

  async function live(): Promise<void> {
    let delay = firstDelayMs;
    while (!stopping.signal.aborted) {
      const began = Date.now();
      lastEnding = await startOnce().catch(messageOf);
      if (stopping.signal.aborted) return;
      deaths += 1;
      if (Date.now() - began > calmMs) delay = firstDelayMs;
      say(`${plan.name} ended (${lastEnding}): starting it again. Its log: ${plan.logFile}`);
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
      delay = Math.min(delay * 2, longestDelayMs);
    }
  }

  async function startOnce(): Promise<string> {
    await plan.beforeStart?.();
    if (stopping.signal.aborted) return 'not started';
    child = launch(plan, say);
    try {
      return await ending(child);
    } finally {
      child = undefined;
      rmSync(plan.pidFile, { force: true });
    }
  }

  async function stop(): Promise<void> {
    stopping.abort();
    clearInterval(rotation);
    if (child !== undefined) {
      const running = child;
      running.kill(plan.stopSignal ?? 'SIGTERM');
      const killTimer = setTimeout(() => killGroup(running), plan.stopTimeoutMs ?? 15_000);
      await life;
      clearTimeout(killTimer);
    }
    await life;
  }

  async function ready(
    check: () => Promise<boolean>,
    { timeoutMs = 60_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    for (const deadline = Date.now() + timeoutMs; !(await check()); await sleep(50, undefined, { signal })) {
      const problem =
        deaths >= deathsThatMeanFailure
          ? `${plan.name} does not start (${lastEnding})`
          : Date.now() > deadline
            ? `${plan.name} is not ready after ${timeoutMs / 1000} s`
            : undefined;
      if (problem === undefined) continue;
      throw new Problem(`${problem}. The end of ${plan.logFile}:\n\n${await lastLines(plan.logFile, 20)}`);
    }
  }

  rotateLog(plan.logFile);
  const rotation = setInterval(() => rotateLog(plan.logFile), rotateEveryMs).unref();
  const life = live();
  return {
    name: plan.name,
    get pid() {
      return child?.pid;
    },
    ready,
    kill() {
      if (child) killGroup(child);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function launch(plan: ProcessPlan, say: (line: string) => void): ChildProcess {
  const log = openSync(plan.logFile, 'a', 0o600);
  try {
    const child = spawn(plan.command, plan.args, {
      env: { ...plan.env },
      stdio: [plan.input ? 'pipe' : 'ignore', log, log],
      detached: true,
      ...(plan.cwd !== undefined && { cwd: plan.cwd }),
      ...plan.user,
    });
    // A process that has ended does not read its input.
    child.stdin?.on('error', () => undefined);
    plan.input?.then(
      (text) => child.stdin?.end(text),
      () => undefined,
    );
    try {
      writePidFile(plan, child.pid);
    } catch (error) {
      // The process has already started, so supervise it even if the file can't be written, for example on a full disk.
      say(`${plan.pidFile} could not be written (${messageOf(error)}): ${plan.name} runs without it`);
    }
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Writes the pid file synchronously after the start, so that a crash of the supervisor can't leave an unrecorded
 * process.
 */
function writePidFile(plan: ProcessPlan, pid: number | undefined): void {
  const child = pid === undefined ? undefined : identityOf(pid);
  const supervisor = identityOf(process.pid);
  if (child === undefined || supervisor === undefined) return;
  const content: PidFile = { child, supervisor, stopSignal: plan.stopSignal ?? 'SIGTERM' };
  writeFileSync(plan.pidFile, JSON.stringify(content), { mode: 0o644 });
}

function ending(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
}

/** Kills the process group, which includes the child processes. */
function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, 'SIGKILL');
  }
}
