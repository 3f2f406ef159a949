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

/** Returns a sender of batches, and the monitors of each message. `refuse` throws for messages that are refused. */
function createSender(
  refuse: (monitorIds: readonly string[], payload: Uint8Array) => void = () => {},
  options: { readonly maxKeptBytes?: number } = {},
) {
  const messages: string[][] = [];
  const sizes: number[] = [];
  const ids: (string | undefined)[] = [];
  const queue: QueuePublisher = {
    async publish(_subject, payload, id) {
      const message = fromBinary(CheckResultSchema, payload);
      const monitorIds = (message.batch.length > 0 ? message.batch : [message]).map(({ monitorId }) => monitorId);
      refuse(monitorIds, payload);
      messages.push(monitorIds);
      sizes.push(payload.byteLength);
      ids.push(id);
    },
  };
  return { sender: new ResultSender(queue, { batches: true, ...options }), messages, sizes, ids };
}

test('a message contains at most 100 results', async () => {
  const { sender, messages } = createSender();
  await Promise.all([
    ...Array.from({ length: 250 }, (_, index) => sender.send(passed(String(index)))),
    sender[Symbol.asyncDispose](),
  ]);
  expect(messages.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(messages.flat()).toEqual(Array.from({ length: 250 }, (_, index) => String(index)));
});

test('a message of several results has at most 256 KiB', async () => {
  const { sender, messages, sizes } = createSender();
  const sent = Array.from({ length: 20 }, (_, index) => sender.send(passed(String(index), 20_000)));
  await Promise.all([...sent, sender.send(passed('small')), sender[Symbol.asyncDispose]()]);
  expect(messages.flat()).toHaveLength(21);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(messages.length).toBeLessThan(10);
});

test('a result that is larger than a batch may be is sent alone and at once', async () => {
  const { sender, messages } = createSender();
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
  const { sender, messages, ids } = createSender((monitorIds) => {
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
  const { sender } = createSender(() => {
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
  const { sender, messages } = createSender(() => {
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
  const { sender } = createSender(() => {
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
  const { sender, messages } = createSender(
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
