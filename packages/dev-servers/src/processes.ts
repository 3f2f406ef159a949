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
  /** The whole environment: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Its stdout and stderr are appended here. */
  readonly logFile: string;
  /** Identifies it while it runs; `stopOrphan` reads the file after a crash of the supervisor. */
  readonly pidFile: string;
  readonly stopSignal?: 'SIGTERM' | 'SIGINT';
  readonly stopTimeoutMs?: number;
  /** Runs before every start, the repeated ones too. */
  readonly beforeStart?: () => Promise<void>;
}

export interface SupervisedProcess extends AsyncDisposable {
  readonly name: string;
  /** The number of the running process; undefined between two of them. */
  readonly pid: number | undefined;
  /**
   * Waits until `check` returns true.
   *
   * @throws Problem with the last lines of its log, when it has died three times or the time is up.
   */
  ready(check: () => Promise<boolean>, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>;
  /** Asks it to end, waits, and kills it when `stopTimeoutMs` (15 s) have passed. Once it is stopped it stays so. */
  stop(): Promise<void>;
}

const firstDelayMs = 250;
const longestDelayMs = 15_000;
const calmMs = 30_000;
const deathsThatMeanFailure = 3;
const rotateEveryMs = 10_000;

/**
 * Starts a process and starts it again whenever it ends by itself: after 250 ms, and twice as long each time up to
 * 15 s, until it has lived for 30 s.
 *
 * The process has its own session. Ctrl-C in the terminal thus reaches only the supervisor, which then stops
 * its processes in their order.
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
    child = launch(plan);
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
      const impatience = setTimeout(() => killGroup(running), plan.stopTimeoutMs ?? 15_000);
      await life;
      clearTimeout(impatience);
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
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function launch(plan: ProcessPlan): ChildProcess {
  const log = openSync(plan.logFile, 'a', 0o600);
  try {
    const child = spawn(plan.command, plan.args, {
      env: { ...plan.env },
      stdio: ['ignore', log, log],
      detached: true,
      ...(plan.cwd !== undefined && { cwd: plan.cwd }),
      ...plan.user,
    });
    writePidFile(plan, child.pid);
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Written in the same turn as the start, so that there is no moment worth mentioning in which a crash leaves no trace.
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

/** The group is the process and what it started: nothing of it may outlive a process that does not listen. */
function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, 'SIGKILL');
  }
}
