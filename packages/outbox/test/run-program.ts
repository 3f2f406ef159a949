import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProgram extends AsyncDisposable {
  /** Resolves when it is gone, for whatever reason. */
  readonly ended: Promise<unknown>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** Runs one of the programs beside this file as a process of its own, and returns when it has written a line. */
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
