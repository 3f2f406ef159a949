import { setImmediate as turn } from 'node:timers/promises';
import type { CheckOutcome } from '@tocsin/enums';
import { createConnectivityGuard } from '@tocsin/netguard';
import { expect, test } from 'vitest';
import type { Observation } from '../domain/observation.ts';
import { confirmByConnectivity } from './connectivity-guard.ts';

const seen = (outcome: CheckOutcome): Observation => ({ outcome, error: 'its words', phases: {} });

/**
 * Starts a guard whose connection the test controls. `line` counts the reference checks and records connection changes.
 */
async function startDoubt({ connected }: { connected: boolean }) {
  const line = { connected, looks: 0, changes: [] as boolean[], now: 0 };
  const guard = createConnectivityGuard({
    reachReferences: async () => {
      line.looks += 1;
      return line.connected;
    },
    onChange: (now) => line.changes.push(now),
    pause: () => turn(),
    now: () => line.now,
  });
  const confirm = confirmByConnectivity(guard);
  // Wait for the first reference check and for the pause after it.
  await turn();
  await turn();
  return {
    line,
    outcome: async (monitor: string, reported: CheckOutcome) => (await confirm(monitor, seen(reported))).outcome,
  };
}

test('a failure is reported if the references are reachable', async () => {
  const { outcome } = await startDoubt({ connected: true });
  expect(await outcome('m', 'error')).toBe('error');
  expect(await outcome('n', 'timeout')).toBe('timeout');
});

test('while the connection is lost, failures are reported as unknown', async () => {
  const { line, outcome } = await startDoubt({ connected: true });
  line.connected = false;
  expect(await outcome('m', 'error')).toBe('unknown');
  expect(await outcome('n', 'timeout')).toBe('unknown');
  expect(await outcome('m', 'error')).toBe('unknown');
  expect(await outcome('o', 'pass')).toBe('pass');
  line.connected = true;
  expect(await outcome('m', 'error')).toBe('error');
  expect(line.changes).toEqual([false, true]);
});

test('repeated failures of a target cause no further reference check within a second, unless the target responded', async () => {
  const { line, outcome } = await startDoubt({ connected: true });
  await outcome('m', 'error');
  const looks = line.looks;
  line.now = 999;
  await outcome('m', 'error');
  await outcome('m', 'timeout');
  expect(line.looks).toBe(looks);
  await outcome('m', 'fail');
  await outcome('m', 'error');
  expect(line.looks).toBe(looks + 1);
});

test('a target that failed before the connection was lost is reported as unknown while it is lost', async () => {
  const { line, outcome } = await startDoubt({ connected: true });
  expect(await outcome('m', 'error')).toBe('error');
  line.connected = false;
  line.now = 1_000;
  expect(await outcome('m', 'error')).toBe('unknown');
  line.connected = true;
  expect(await outcome('m', 'error')).toBe('error');
  expect(line.changes).toEqual([false, true]);
});

test('a thousand simultaneous failures cause one or two reference checks', async () => {
  const { line, outcome } = await startDoubt({ connected: true });
  const looks = line.looks;
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => outcome(`m${index}`, 'error')));
  expect(line.looks - looks).toBeLessThanOrEqual(2);
});

test('failures are reported if the references were never reachable', async () => {
  const { line, outcome } = await startDoubt({ connected: false });
  expect(await outcome('m', 'error')).toBe('error');
  expect(line.changes).toEqual([]);
});

test('a reference check that began before a failure does not confirm that failure', async () => {
  const looks: PromiseWithResolvers<boolean>[] = [];
  const guard = createConnectivityGuard({
    reachReferences: () => {
      const look = Promise.withResolvers<boolean>();
      looks.push(look);
      return look.promise;
    },
    onChange: () => {},
    pause: () => turn(),
  });
  const confirm = confirmByConnectivity(guard);
  const settle = async (reached: boolean) => {
    await turn();
    looks.at(-1)?.resolve(reached);
    await turn();
    await turn();
  };
  await settle(true);
  const first = confirm('m', seen('error'));
  await turn();
  const second = confirm('n', seen('error'));
  await settle(true);
  expect((await first).outcome).toBe('error');
  await settle(false);
  expect((await second).outcome).toBe('unknown');
});
