import { setTimeout as delay } from 'node:timers/promises';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { startRegion } from './start-checker.ts';

const region = await startRegion();
afterAll(() => region[Symbol.asyncDispose]());

test('the result of a check that ends during an outage of NATS is sent after the outage', async () => {
  const checked: string[] = [];
  await using _checker = await region.startChecker(
    {},
    {
      http: async (configJson) => {
        checked.push(configJson);
        await region.server.stop();
        return { outcome: 'pass', error: '', phases: { total: 1 } };
      },
    },
  );
  await region.send({ monitorId: 'm', startBefore: new Date(Date.now() + 3_000) });
  await eventually(() => expect(checked).toHaveLength(1));
  // The outage is longer than the wait for the response of the stream, and the check can no longer start in time.
  await delay(6_000);
  await region.server.start();
  await eventually(() => expect(region.results).toMatchObject([{ result: { outcome: CheckOutcome.PASS } }]));
  expect(checked).toHaveLength(1);
  await eventually(async () => expect(await region.unanswered()).toBe(0));
});
