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

test('a check that can no longer start in time is reported as unknown at once', async () => {
  await using _checker = await region.startChecker({}, { http: () => Promise.reject(new Error('must not run')) });
  const before = region.results.length;
  await region.send({ monitorId: 'late', startBefore: new Date(Date.now() - 1) });
  await eventually(() => expect(region.results).toHaveLength(before + 1));
  const error = 'this checker could not start the check in time';
  expect(region.results.at(-1)).toMatchObject({ monitorId: 'late', result: { outcome: CheckOutcome.UNKNOWN, error } });
  await eventually(async () => expect(await region.unanswered()).toBe(0));
});

test('a late check that was delivered before is not reported, because another checker may be running it', async () => {
  const before = region.results.length;
  await region.send({ monitorId: 'repeated', startBefore: new Date(Date.now() - 1) });
  await region.returnNextJob();
  await using _checker = await region.startChecker({}, { http: () => Promise.reject(new Error('must not run')) });
  await eventually(async () => expect(await region.unanswered()).toBe(0));
  expect(region.results.slice(before)).toEqual([]);
});
