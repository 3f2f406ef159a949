import { afterAll, expect, test } from 'vitest';
import { allTargets, check } from './hostile/all-targets.ts';
import { closedPort } from './hostile/redirect-targets.ts';
import { Fixture } from './hostile/target.ts';

const fixture = new Fixture();
afterAll(() => fixture[Symbol.asyncDispose]());

test.each(allTargets())(
  'a target that $what has the outcome $outcome and the error "$error"',
  async ({ start, outcome, error }) => {
    const target = await start(fixture);
    // A check that should not time out gets ten seconds, so that it finishes even on a busy machine.
    const timeoutMs = outcome === 'timeout' ? 1_000 : 10_000;
    const seen = await check(target, timeoutMs);
    const expected = error
      .replaceAll('{peer}', `127.0.0.1:${target.port}`)
      .replaceAll('{port}', String(target.port))
      .replaceAll('{closed}', String(await closedPort()));
    expect({ outcome: seen.outcome, error: seen.error }).toEqual({ outcome, error: expected });
  },
);
