import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProgram extends AsyncDisposable {
  /** Resolves when the program has ended for any reason. */
  readonly ended: Promise<unknown>;
  /** Kills the program with SIGKILL, so that it can't clean up. */
  kill(): Promise<void>;
}

/** Starts a program of this folder as a separate process. Resolves when the program has written its first line. */
export async function runProgram(name: string, ...args: string[]): Promise<RunningProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`${name} ended before it wrote a line`))),
  ]);
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }
  return { ended, kill, [Symbol.asyncDispose]: kill };
}
