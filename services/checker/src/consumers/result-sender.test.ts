import { fromBinary } from '@bufbuild/protobuf';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import type { QueuePublisher } from '@tocsin/work-queue';
import { expect, test } from 'vitest';
import type { SeenCheck } from '../wire/check-result.ts';
import { ResultSender } from './result-sender.ts';

const at = new Date('2026-01-01T00:00:00Z');

const FAILED = { outcome: 'fail' as const, error: 'status 502', phases: {} };

function passed(monitorId: string, nameLength = 0): SeenCheck {
  const certificate = {
    fingerprint: 'f',
    issuer: 'i',
    subject: '€'.repeat(nameLength),
    valid: true,
    problem: '',
    notBefore: at,
    notAfter: at,
  };
  const observation = { outcome: 'pass' as const, error: '', phases: { total: 1 }, certificate };
  return { monitorId, region: 'eu', roundAt: at, checkedAt: at, finishedAt: at, observation };
}

/**
 * Returns a sender of batches to which the previous checks of the monitors `passing` were sent, and the monitors of
 * each later message. `refuse` throws for messages that are refused.
 */
async function createSender(
  passing: readonly string[],
  refuse: (monitorIds: readonly string[], payload: Uint8Array) => void = () => {},
  options: { readonly maxKeptBytes?: number; readonly startMs?: number } = {},
) {
  const messages: string[][] = [];
  const sizes: number[] = [];
  const ids: (string | undefined)[] = [];
  const queue: QueuePublisher = {
    async publish(_subject, payload, id) {
      const message = fromBinary(CheckResultSchema, payload);
      const monitorIds = (message.batch.length > 0 ? message.batch : [message]).map(({ monitorId }) => monitorId);
      if (isWarm) refuse(monitorIds, payload);
      messages.push(monitorIds);
      sizes.push(payload.byteLength);
      ids.push(id);
    },
  };
  const sender = new ResultSender(queue, { batches: true, startMs: 0, ...options });
  let isWarm = false;
  await Promise.all(passing.map((monitorId) => sender.send(passed(monitorId))));
  isWarm = true;
  for (const list of [messages, sizes, ids]) list.length = 0;
  return { sender, messages, sizes, ids };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test('a message contains at most 100 results', async () => {
  const { sender, messages } = await createSender(numbers(250));
  await Promise.all([
    ...Array.from({ length: 250 }, (_, index) => sender.send(passed(String(index)))),
    sender[Symbol.asyncDispose](),
  ]);
  expect(messages.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(messages.flat()).toEqual(numbers(250));
});

test('only a check that passed like the previous one of its monitor waits for others', async () => {
  const { sender, messages } = await createSender(['a', 'b']);
  const waiting = sender.send(passed('a'));
  await sender.send(passed('new'));
  expect(messages.splice(0)).toEqual([['a', 'new']]);
  const failing = { ...passed('b'), observation: FAILED };
  const again = sender.send(passed('a'));
  await sender.send(failing);
  expect(messages.splice(0)).toEqual([['a', 'b']]);
  await sender.send(passed('b'));
  expect(messages.splice(0)).toEqual([['b']]);
  const last = sender.send(passed('b'));
  expect(messages).toEqual([]);
  await Promise.all([waiting, again, last, sender[Symbol.asyncDispose]()]);
  expect(messages).toEqual([['b']]);
});

test('after a start, a passed check also waits if the previous one of its monitor is unknown', async () => {
  const { sender, messages } = await createSender([], undefined, { startMs: 60_000 });
  const waiting = ['a', 'b'].map((monitorId) => sender.send(passed(monitorId)));
  expect(messages).toEqual([]);
  await Promise.all([sender.send({ ...passed('c'), observation: FAILED }), ...waiting]);
  expect(messages.splice(0)).toEqual([['a', 'b', 'c']]);
  await sender.send(passed('c'));
  expect(messages).toEqual([['c']]);
});

test('a message of several results has at most 256 KiB', async () => {
  const { sender, messages, sizes } = await createSender([...numbers(20), 'small']);
  const sent = Array.from({ length: 20 }, (_, index) => sender.send(passed(String(index), 20_000)));
  await Promise.all([...sent, sender.send(passed('small')), sender[Symbol.asyncDispose]()]);
  expect(messages.flat()).toHaveLength(21);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(messages.length).toBeLessThan(10);
});

test('a result that is larger than a batch may be is sent alone and at once', async () => {
  const { sender, messages } = await createSender(['small']);
  const small = sender.send(passed('small'));
  await sender.send(passed('large', 100_000));
  expect(messages).toEqual([['large']]);
  await Promise.all([small, sender[Symbol.asyncDispose]()]);
  expect(messages).toEqual([['large'], ['small']]);
});

test.each([
  ['client', new errors.InvalidArgumentError('max_payload size exceeded')],
  [
    'server',
    new JetStreamApiError({ code: 400, err_code: 10054, description: 'message size exceeds maximum allowed' }),
  ],
])('a result that the %s refuses does not reject the other results of its batch', async (_, error) => {
  const { sender, messages, ids } = await createSender(['a', 'bad', 'b'], (monitorIds) => {
    if (monitorIds.includes('bad')) throw error;
  });
  const sent = ['a', 'bad', 'b'].map((monitorId) => sender.send(passed(monitorId)));
  const settled = Promise.allSettled(sent);
  await sender[Symbol.asyncDispose]();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await expect(sent[1]).rejects.toBe(error);
  expect(messages).toEqual([['a'], ['b']]);
  expect(ids).toEqual([`a:${at.getTime()}:eu`, `b:${at.getTime()}:eu`]);
});

test('if the queue does not respond, the results of a batch are not sent again one by one', async () => {
  let calls = 0;
  const { sender } = await createSender(['a', 'b'], () => {
    calls += 1;
    throw new errors.TimeoutError();
  });
  const sent = Promise.allSettled(['a', 'b'].map((monitorId) => sender.send(passed(monitorId))));
  await sender[Symbol.asyncDispose]();
  expect((await sent).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
});

test('results are published again until the queue stores them', async () => {
  let calls = 0;
  const { sender, messages } = await createSender(['a', 'b'], () => {
    calls += 1;
    if (calls < 3) throw new errors.TimeoutError();
  });
  await Promise.all(['a', 'b'].map((monitorId) => sender.send(passed(monitorId))));
  expect(calls).toBe(3);
  expect(messages).toEqual([['a', 'b']]);
});

test('a sender that is disposed while the queue does not respond publishes one message once more, and no other', async () => {
  const called = Promise.withResolvers<void>();
  let calls = 0;
  const { sender } = await createSender([], () => {
    calls += 1;
    called.resolve();
    throw new errors.TimeoutError();
  });
  const failed = (monitorId: string) => sender.send({ ...passed(monitorId), observation: FAILED });
  const sent = Promise.allSettled([failed('a')]);
  await called.promise;
  const disposed = sender[Symbol.asyncDispose]();
  await sent;
  const later = Promise.allSettled([failed('b')]);
  await disposed;
  expect((await Promise.all([sent, later])).flat().map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(2);
});

test('a result beyond the limit of kept bytes is rejected at once, and accepted when others are stored', async () => {
  let isDown = true;
  const { sender, messages } = await createSender(
    ['a'],
    () => {
      if (isDown) throw new errors.TimeoutError();
    },
    { maxKeptBytes: 150_000 },
  );
  const kept = sender.send(passed('a', 40_000));
  await expect(sender.send(passed('b', 40_000))).rejects.toThrow(/limit$/);
  isDown = false;
  await kept;
  await sender.send(passed('c', 40_000));
  expect(messages).toEqual([['a'], ['c']]);
});
