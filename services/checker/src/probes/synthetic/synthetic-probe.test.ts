import { expect, test } from 'vitest';
import type { RunEnd } from './protocol.ts';
import type { RunOptions, RunReport } from './run-process.ts';
import { type SyntheticOptions, syntheticProbe } from './synthetic-probe.ts';

const PASSED: RunReport = reportOf({ outcome: 'pass', error: '' });
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
/** A browser that can't use its sandbox. */
const NO_SANDBOX: RunReport = {
  ...reportOf({ outcome: 'unknown', error: 'the browser did not start: No usable sandbox!', noSandbox: true }),
  hasStarted: false,
};

function reportOf(end: Omit<RunEnd, 'ms'>): RunReport {
  return { end: { ms: 1, ...end }, hasStarted: true, steps: [], log: [] };
}

/** Returns checks whose runs have the given reports, and whether each run used Chromium's sandbox. */
function checksWith(chromiumSandbox: SyntheticOptions['chromiumSandbox'], reports: RunReport[]) {
  const sandboxes: boolean[] = [];
  const warnings: string[] = [];
  const runInProcess = async ({ order }: RunOptions) => {
    sandboxes.push(order.chromiumSandbox);
    return reports.shift() ?? PASSED;
  };
  const options: SyntheticOptions = {
    chromium: process.execPath,
    chromiumSandbox,
    allowPrivateTargets: '',
    closedPorts: new Set(),
    memoryMb: 100,
    warn: (text) => void warnings.push(text),
  };
  const probe = syntheticProbe(options, { runInProcess, leastUser: () => UNPRIVILEGED });
  const check = () => probe(JSON.stringify({ script: '' }), 1_000, new Map());
  return { check, sandboxes, warnings };
}

test.each(['fail', 'unknown', 'error', 'timeout'] as const)(
  "a script that ends as %s with Chromium's message leaves the sandbox on for all later checks",
  async (outcome) => {
    const forged = reportOf({ outcome, error: 'the browser did not start: No usable sandbox!' });
    for (const mode of ['auto', 'required'] as const) {
      const { check, sandboxes, warnings } = checksWith(mode, [forged]);
      expect(await check()).toMatchObject({ outcome, error: forged.end.error });
      expect(await check()).toMatchObject({ outcome: 'pass' });
      expect(sandboxes).toEqual([true, true]);
      expect(warnings).toEqual([]);
    }
  },
);

test('a mark that arrives after the script has started leaves the sandbox on', async () => {
  const { check, sandboxes } = checksWith('auto', [{ ...NO_SANDBOX, hasStarted: true }]);
  await check();
  await check();
  expect(sandboxes).toEqual([true, true]);
});

test("if Chromium can't use its sandbox, the check is repeated without, and a warning is logged", async () => {
  const { check, sandboxes, warnings } = checksWith('auto', [NO_SANDBOX]);
  expect(await check()).toMatchObject({ outcome: 'pass' });
  await check();
  expect(sandboxes).toEqual([true, false, false]);
  expect(warnings).toEqual([expect.stringContaining('TOCSIN_CHROMIUM_SANDBOX')]);
});

test("if the sandbox is required and Chromium can't use it, no script runs", async () => {
  const { check, sandboxes } = checksWith('required', [NO_SANDBOX]);
  for (const observation of [await check(), await check()]) {
    expect(observation).toMatchObject({
      outcome: 'unknown',
      error: expect.stringContaining('TOCSIN_CHROMIUM_SANDBOX'),
    });
  }
  expect(sandboxes).toEqual([true]);
});

test('a sandbox that has worked stays on after a start without it has failed', async () => {
  for (const mode of ['auto', 'required'] as const) {
    const { check, sandboxes } = checksWith(mode, [PASSED, NO_SANDBOX]);
    const outcomes = [(await check()).outcome, (await check()).outcome, (await check()).outcome];
    expect(outcomes).toEqual(['pass', 'unknown', 'pass']);
    expect(sandboxes).toEqual([true, true, true]);
  }
});

test('the mode "off" runs all checks without the sandbox', async () => {
  const { check, sandboxes } = checksWith('off', []);
  await check();
  expect(sandboxes).toEqual([false]);
});
