import { afterAll, expect, test } from 'vitest';
import { recordStaleMonitors } from '../src/app/rounds/record-stale-monitors.ts';
import { type EvaluatorState, initialEvaluatorState } from '../src/domain/rounds/evaluate.ts';
import { findEvaluatorStates, saveEvaluatorStates } from '../src/storage/rounds/evaluator-state-store.ts';
import { watch } from '../src/storage/rounds/staleness-store.ts';
import { historyFixture } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

test('a recovery that was being confirmed starts again after the time that makes other monitors stale', async () => {
  const monitor = await fixture.monitor({ intervalSeconds: 30 });
  const { id: monitorId, organizationId } = monitor;
  const at = clock.now();
  const streak = { verdict: 'pass', since: at, rounds: 1 } as const;
  const down: EvaluatorState = { ...initialEvaluatorState(at), state: 'down', streak, lastRoundAt: at };
  await database.transaction({ organizationId }, async (tx) => {
    saveEvaluatorStates(tx, [{ monitorId, organizationId, evaluatorState: down }]);
    watch(tx, [monitor], at);
  });
  const stored = () => database.transaction({ organizationId }, (tx) => findEvaluatorStates(tx, [monitorId]));

  // The steps are short, so that the service counts as running all the time.
  for (let seconds = 0; seconds < 290; seconds += 29) {
    await recordStaleMonitors(deps, clock.now());
    clock.advance(29_000);
  }
  expect(await stored()).toEqual(new Map([[monitorId, down]]));
  clock.advance(10_000);
  await recordStaleMonitors(deps, clock.now());
  expect(await stored()).toEqual(new Map([[monitorId, { ...down, streak: undefined }]]));
  expect(await fixture.rows('transition', organizationId)).toBe(0);
});
