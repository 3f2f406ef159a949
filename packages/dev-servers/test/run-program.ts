import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningProgram extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The first line that it wrote to stdout. */
  readonly firstLine: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** Runs one of the programs beside this file as a process of its own, and returns when it has written a line. */
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
