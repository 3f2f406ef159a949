import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { checkAdvisories } from './advisories.ts';
import { type ApiCoverage, startApiCoverage } from './contract/coverage/api-coverage.ts';
import { Interruption } from './interruption.ts';
import { Tally } from './tally.ts';

const usage = `npm test [-- <part of a path> …]

Runs every test and ends with a line "N passed, N failed". Paths choose files.
  --long           the tests that take minutes, too
  --cluster        only the tests on Kubernetes; npm run test:cluster starts them
  --api-coverage   only the contract tests; they write .tmp/api-coverage.md, too`;

/**
 * Groups of vitest projects that run one after the other. Tests that start the whole product and need much processor
 * time are last.
 */
const groups = [['unit', 'service', 'waiting'], ['journey']];

/** Time limits of a run. A run on a slow machine needs much less. */
const LIMIT_MS = 60 * 60_000;
const LONG_LIMIT_MS = 4 * 3_600_000;

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    'api-coverage': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.help) process.stdout.write(`${usage}\n`);
else if (values.cluster) await run([['cluster']], positionals);
else if (values['api-coverage']) await run([['journey']], ['test/contract']);
else await run(values.long ? [...groups, ['long']] : groups, positionals);

/** Interrupts the run after a time limit, because a test file may never end. The run then fails. */
function endWhateverHangs(tally: Tally, limitMs: number): void {
  setTimeout(() => {
    process.stdout.write(`still running after ${limitMs / 60_000} minutes: interrupted\n`);
    process.kill(process.pid, 'SIGTERM');
    // If the run does not end within a minute of the signal, end it here. A process that ignores the signal is left
    // running.
    setTimeout(() => {
      process.stdout.write(`${tally.passed} passed, ${tally.failed + 1} failed\n`);
      process.exit(1);
    }, 60_000).unref();
  }, limitMs).unref();
}

async function run(projects: readonly string[][], paths: string[]): Promise<void> {
  const root = join(import.meta.dirname, '..');
  const tally = new Tally();
  const interruption = new Interruption();
  endWhateverHangs(tally, values.long || values.cluster ? LONG_LIMIT_MS : LIMIT_MS);
  await using coverage = await startApiCoverage();
  for (const project of projects) {
    if (interruption.happened) break;
    const reporters = ['default', tally, interruption];
    await startVitest(paths, { root, project, watch: false, passWithNoTests: true, reporters });
  }
  const ranAllContractTests = values['api-coverage'] || (paths.length === 0 && !values.cluster);
  if (!interruption.happened && tally.failed === 0 && ranAllContractTests) await reportCoverage(coverage, tally);
  if (process.env.CI && paths.length === 0 && !values.cluster && !interruption.happened) await reportAdvisories(tally);
  finish(tally, interruption.happened);
}

/** Reports untested parts of the OpenAPI document. Counts as one more test, which fails if there are any. */
async function reportCoverage(coverage: ApiCoverage, tally: Tally): Promise<void> {
  const missing = await coverage.write();
  for (const event of missing) {
    process.stdout.write(`no test shows that ${event}\n`);
  }
  tally.count(missing.length === 0 ? 'passed' : 'failed');
}

/**
 * Checks the production dependencies for advisories. Counts as one more test, which fails if there is a high or
 * critical advisory. If the registry does not respond, this is reported but does not fail the run, because CI must work
 * without a registry. `npm run advisories` fails in that case.
 */
async function reportAdvisories(tally: Tally): Promise<void> {
  const { outcome, text } = await checkAdvisories();
  process.stdout.write(`${text}\n`);
  if (outcome !== 'unknown') tally.count(outcome === 'clear' ? 'passed' : 'failed');
}

function finish(tally: Tally, interrupted: boolean): void {
  const { passed, skipped, failures, flaky } = tally;
  // The failures are repeated at the end, because the output of a long run is often cut.
  for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
  for (const test of flaky) process.stdout.write(`PASSED AT THE SECOND ATTEMPT ${test}\n`);
  // In CI, a skipped test counts as missing.
  const missing = process.env.CI ? skipped : 0;
  if (missing > 0) process.stdout.write(`${missing} skipped, which counts as failed when CI is set\n`);
  if (passed + tally.failed + skipped === 0) process.stdout.write('no test ran\n');
  if (interrupted) process.stdout.write('interrupted\n');
  // If vitest can't start, only its exit code shows it.
  const broken = tally.failed + missing === 0 && (process.exitCode ?? 0) !== 0 ? 1 : 0;
  const failed = tally.failed + missing + broken;
  if (failed > 0 || passed === 0 || interrupted) process.exitCode = 1;
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
}
