import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { killWithin } from './process-memory.ts';
import type { RunEvent, RunOrder } from './protocol.ts';
import { runScript } from './run-script.ts';

// This program runs once for each check, controls the browser and the sandbox, and is killed together with them. It
// reads the script and its settings from the first line of standard input, and writes events to standard output.

const NICE = 10;

setPriority(NICE);
const folder = process.cwd();
const input = createInterface({ input: process.stdin });
// The input closes when the checker is killed. This process then has to clean up before it ends.
input.once('close', async () => {
  killWithin(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  process.kill(process.pid, 'SIGKILL');
});
// An output error means that the checker has died. It can be ignored, because the input then closes as well, which ends
// this process.
process.stdout.on('error', () => {});
const order = await new Promise<RunOrder>((resolve) => input.once('line', (line) => resolve(JSON.parse(line))));

function report(event: RunEvent): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(event)}\n`, () => resolve()));
}

await report({ end: await runScript(order, report) });
// The open input keeps this process alive until the checker kills it.
