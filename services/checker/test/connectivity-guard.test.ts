import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { listen } from '@tocsin/runtime';
import { eventually, freePort } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRegion } from './start-checker.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let region: Awaited<ReturnType<typeof startRegion>>;

beforeAll(async () => {
  region = stack.use(await startRegion());
});

async function seen(monitorId: string) {
  return eventually(() => {
    const found = region.results.find((result) => result.monitorId === monitorId)?.result;
    if (!found) throw new Error(`no result of ${monitorId} yet`);
    return { outcome: found.outcome, error: found.error };
  });
}

test('a checker without a connection reports unknown results instead of failures', async () => {
  const port = await freePort();
  const reference = createServer((socket) => socket.destroy());
  await listen(reference, '127.0.0.1', port);
  const refusing = `http://127.0.0.1:${await freePort()}/`;
  await using _checker = await region.startChecker({ references: [{ host: '127.0.0.1', port }] });

  await region.send({ monitorId: 'with a connection', url: refusing });
  expect(await seen('with a connection')).toMatchObject({
    outcome: CheckOutcome.ERROR,
    error: expect.stringMatching(/^connection refused/),
  });

  reference.close();
  await region.send({ monitorId: 'without', url: refusing });
  expect(await seen('without')).toEqual({
    outcome: CheckOutcome.UNKNOWN,
    error: 'this checker has lost its own connection: what it saw says nothing about the target',
  });

  const again = stack.use(createServer((socket) => socket.destroy()));
  await listen(again, '127.0.0.1', port);
  await region.send({ monitorId: 'with it again', url: refusing });
  expect(await seen('with it again')).toMatchObject({ outcome: CheckOutcome.ERROR });
});

test('a timeout during event-loop lag is reported as unknown', async () => {
  const asked = Promise.withResolvers<void>();
  const target = stack.use(
    createHttpServer((_, response) => {
      asked.resolve();
      setTimeout(() => response.end(), 500);
    }),
  );
  const url = `http://127.0.0.1:${await listen(target, '127.0.0.1', 0)}/`;
  await using _checker = await region.startChecker();
  await region.send({ monitorId: 'stalled', url, timeoutMs: 1_000 });
  await asked.promise;
  standStill(1_500);
  expect(await seen('stalled')).toMatchObject({
    outcome: CheckOutcome.UNKNOWN,
    error: expect.stringMatching(/^this checker stood still for \d+ ms, or was too busy/),
  });
});

test('a response that is too slow only because of event-loop lag is reported as unknown', async () => {
  const asked = Promise.withResolvers<void>();
  const target = stack.use(
    createHttpServer((_, response) => {
      asked.resolve();
      response.end();
    }),
  );
  const url = `http://127.0.0.1:${await listen(target, '127.0.0.1', 0)}/`;
  await using _checker = await region.startChecker();
  await region.send({ monitorId: 'slowed down', url, maxResponseTimeMs: 800 });
  await asked.promise;
  standStill(1_500);
  expect(await seen('slowed down')).toMatchObject({
    outcome: CheckOutcome.UNKNOWN,
    error: expect.stringMatching(/^this checker stood still for \d+ ms, or was too busy/),
  });
});

/** Blocks the event loop, as an overloaded or suspended machine does. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
