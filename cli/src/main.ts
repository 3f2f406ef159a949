import { setTimeout } from 'node:timers/promises';
import { run } from './run.ts';

const EXIT_INTERRUPTED = 130;

const abort = new AbortController();
process.once('SIGINT', () => abort.abort());
process.once('SIGTERM', () => abort.abort());
// The program that reads the output through a pipe may exit first, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Node warns about its SQLite module, which an import uses. Users can do nothing about this warning.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') process.stderr.write(`${warning.name}: ${warning.message}\n`);
});

try {
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: abort.signal,
    sleep: (ms) => setTimeout(ms, undefined, { signal: abort.signal }),
    now: () => Date.now(),
  });
} catch (error) {
  if (!abort.signal.aborted) throw error;
  process.exitCode = EXIT_INTERRUPTED;
}
