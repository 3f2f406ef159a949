import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  /** First line that the program wrote to stdout. */
  readonly firstLine: string;
  /** Kills the program without letting it clean up. */
  kill(): Promise<void>;
}

/** Runs a program of this folder in a separate process. Returns when the program has written a line. */
export async function runProgram(name: string, ...args: string[]): Promise<RunningProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [firstLine] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => Promise.reject(new Error(`${name} ended before it wrote a line`))),
  ]);
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await exited;
  }
  return { child, firstLine, kill, [Symbol.asyncDispose]: kill };
}
