import { rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { killWithin } from './process-memory.ts';
import type { RunEvent, RunOrder } from './protocol.ts';
import { runScript } from './run-script.ts';

// A program of its own for each check: it drives the browser and talks to the sandbox, and is killed with both. It is
// controlled by the first line of its standard input, and reports on its standard output.

const NICE = 10;

setPriority(NICE);
const folder = process.cwd();
const input = createInterface({ input: process.stdin });
// The parent was killed, so that no other process cleans up. It is the last thing that happens here: nothing may
// outlive it.
input.once('close', async () => {
  killWithin(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  process.kill(process.pid, 'SIGKILL');
});
// Written to a process that has ended; the end of the input follows.
process.stdout.on('error', () => {});
const order = await new Promise<RunOrder>((resolve) => input.once('line', (line) => resolve(JSON.parse(line))));

function report(event: RunEvent): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(event)}\n`, () => resolve()));
}

await report({ end: await runScript(order, report) });
// The input stays open until we are killed for it.
