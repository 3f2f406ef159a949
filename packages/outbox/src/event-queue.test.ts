import { setTimeout as sleep } from 'node:timers/promises';
import { headers } from '@nats-io/transport-node';
import { FairSlots } from '@tocsin/runtime';
import { expect, test } from 'vitest';
import { EventQueue, type EventQueueOptions } from './event-queue.ts';
import type { ReceivedMessage } from './received-message.ts';

interface TestMessage {
  readonly seq: number;
  /** Defaults to the sequence number. */
  readonly id?: string;
  readonly organization?: string;
  /** Defaults to an aggregate of its own. */
  readonly aggregate?: string;
  readonly bytes?: number;
  /** Whether the message may be handled together with others. */
  readonly shared?: boolean;
}

/** Returns a message that records how it is settled in `settled`. */
function messageOf(
  settled: string[],
  { seq, id = `${seq}`, organization = 'a', aggregate = id, bytes = 1, shared = false }: TestMessage,
) {
  const meta = headers();
  meta.set('Nats-Msg-Id', id);
  meta.set('Tocsin-Organization', organization);
  meta.set('Tocsin-Aggregate', aggregate);
  if (shared) meta.set('Tocsin-Type', 'shared');
  return {
    seq,
    headers: meta,
    data: { length: bytes },
    info: { deliveryCount: 1 },
    ack: () => void settled.push(`${id} ack`),
    nak: (delayMs?: number) => void settled.push(delayMs === undefined ? `${id} nak` : `${id} nak later`),
    working: () => void settled.push(`${id} working`),
  } as unknown as ReceivedMessage;
}

/**
 * Creates a queue with two slots, one for each organization. A message is handled until the test calls `end`.
 * `startedAt` contains the time of each element of `handled`, on the clock of `performance.now()`.
 */
function sceneOf(options: Pick<EventQueueOptions, 'deferMs'> = {}) {
  const settled: string[] = [];
  const handled: string[] = [];
  const startedAt: number[] = [];
  const ends = new Map<string, () => void>();
  const slots = new FairSlots({ slots: 2, perTenant: 1, waitingPerTenant: 1e9, waiting: 1e9 });
  const handle = async (messages: readonly ReceivedMessage[]) => {
    const id = messages.map(({ headers }) => headers?.get('Nats-Msg-Id')).join('+');
    handled.push(id);
    startedAt.push(performance.now());
    await new Promise<void>((resolve) => ends.set(id, resolve));
    for (const message of messages) message.ack();
  };
  const mayShare = ({ headers }: ReceivedMessage) => headers?.get('Tocsin-Type') === 'shared';
  const queue = new EventQueue({ handle, mayShare, slots, maxBytes: 16 * 1024 ** 2, ackWaitMs: 60, ...options });
  return {
    queue,
    settled,
    handled,
    startedAt,
    add: (message: TestMessage) => queue.add(messageOf(settled, message)),
    async end(id: string) {
      await sleep(1);
      ends.get(id)?.();
      await sleep(1);
    },
  };
}

test('messages of an aggregate are handled one after the other, and organizations take turns', async () => {
  const { add, end, handled, queue } = sceneOf();
  add({ seq: 1, aggregate: 'x' });
  add({ seq: 2, aggregate: 'x' });
  add({ seq: 3 });
  add({ seq: 4, organization: 'b' });
  await end('4');
  expect(handled).toEqual(['1', '4']);
  await end('1');
  await end('3');
  await end('2');
  expect(handled.toSorted()).toEqual(['1', '2', '3', '4']);
  expect(queue.size).toBe(0);
  await queue.stop();
});

test('a message that is delivered again while it waits or is handled is handled once', async () => {
  const { add, end, handled, queue, settled } = sceneOf();
  for (const seq of [1, 2, 1, 2, 2]) add({ seq });
  expect(queue.size).toBe(2);
  await end('1');
  await end('2');
  expect(handled).toEqual(['1', '2']);
  expect(settled.filter((each) => each.endsWith('ack'))).toEqual(['1 ack', '2 ack']);
  await queue.stop();
});

test('messages of different streams with one position are different messages', async () => {
  const { add, end, handled, queue } = sceneOf();
  add({ seq: 1, id: 'old' });
  add({ seq: 1, id: 'new' });
  await end('old');
  await end('new');
  expect(handled).toEqual(['old', 'new']);
  await queue.stop();
});

test('an organization can use half of the memory, and the next one half of the rest', async () => {
  const { add, queue, settled } = sceneOf();
  const mebibyte = 1024 ** 2 - 2_048;
  const added = (seq: number) => add({ seq, bytes: mebibyte });
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter(added)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(settled).toEqual([]);
  for (let seq = 11; seq <= 20; seq += 1) add({ seq, bytes: mebibyte, organization: 'b' });
  expect(queue.size).toBe(12);
  add({ seq: 21, bytes: mebibyte, organization: 'c' });
  expect(queue.size).toBe(13);
  queue.returnWaiting();
  add({ seq: 9, bytes: mebibyte });
  expect(queue.size).toBe(1);
  await queue.stop();
});

test('messages are kept alive until they are settled', async () => {
  const { add, end, queue, settled } = sceneOf();
  add({ seq: 1 });
  add({ seq: 2 });
  await sleep(50);
  expect(settled).toContain('1 working');
  expect(settled).toContain('2 working');
  await end('1');
  settled.length = 0;
  await sleep(50);
  expect(settled).toContain('2 working');
  expect(settled).not.toContain('1 working');
  await end('2');
  await queue.stop();
});

test('stopping returns waiting and new messages, and waits for the running handler', async () => {
  const { add, end, handled, queue, settled } = sceneOf();
  add({ seq: 1, aggregate: 'x' });
  add({ seq: 2, aggregate: 'x' });
  add({ seq: 3 });
  await sleep(1);
  let isStopped = false;
  const stopped = queue.stop().then(() => {
    isStopped = true;
  });
  add({ seq: 4 });
  expect(settled).toEqual(['2 nak', '3 nak', '4 nak']);
  await sleep(1);
  expect(isStopped).toBe(false);
  await end('1');
  await stopped;
  expect(handled).toEqual(['1']);
  expect(queue.size).toBe(0);
});

test('a message that was returned is handled when it is delivered again', async () => {
  const { add, end, handled, queue } = sceneOf();
  add({ seq: 1 });
  add({ seq: 2 });
  await sleep(1);
  queue.returnWaiting();
  add({ seq: 2 });
  await end('1');
  await end('2');
  expect(handled).toEqual(['1', '2']);
  await queue.stop();
});

/** Waits until messages with these ids are handled. */
async function untilHandled(handled: readonly string[], id: string): Promise<void> {
  while (!handled.includes(id)) await sleep(1);
}

test('messages of an organization that may share a transaction are handled together, and others alone', async () => {
  const { add, end, handled, queue, settled } = sceneOf();
  add({ seq: 1, shared: true });
  await untilHandled(handled, '1');
  add({ seq: 2, shared: true });
  add({ seq: 3, shared: true, organization: 'b' });
  add({ seq: 4, shared: true });
  await untilHandled(handled, '3');
  await end('1');
  await untilHandled(handled, '2+4');
  await end('2+4');
  await end('3');
  expect(settled.filter((each) => each.endsWith('ack'))).toEqual(['1 ack', '2 ack', '4 ack', '3 ack']);
  expect(queue.size).toBe(0);
  await queue.stop();
});

test('a message never shares a transaction with another one of its aggregate', async () => {
  const { add, end, handled, queue } = sceneOf();
  for (const seq of [1, 2, 3]) add({ seq, shared: true, aggregate: 'x' });
  add({ seq: 4, shared: true, aggregate: 'y' });
  await untilHandled(handled, '1+4');
  await end('1+4');
  await untilHandled(handled, '2');
  await end('2');
  await untilHandled(handled, '3');
  await end('3');
  expect(handled).toEqual(['1+4', '2', '3']);
  await queue.stop();
});

test('stopping returns messages that wait to be handled together, and waits for those that are handled', async () => {
  const { add, end, handled, queue, settled } = sceneOf();
  add({ seq: 1, shared: true });
  await untilHandled(handled, '1');
  add({ seq: 2, shared: true });
  add({ seq: 3, shared: true });
  await sleep(1);
  const stopped = queue.stop();
  expect(settled.filter((each) => each.endsWith('nak'))).toEqual(['2 nak', '3 nak']);
  await end('1');
  await stopped;
  await sleep(30);
  expect(handled).toEqual(['1']);
  expect(queue.size).toBe(0);
});

test('a group of messages has at most 100 of them, and at most a mebibyte', async () => {
  const { add, end, handled, queue } = sceneOf();
  for (let seq = 1; seq <= 120; seq += 1) add({ seq, shared: true });
  for (let seq = 121; seq <= 125; seq += 1) add({ seq, shared: true, bytes: 400_000 });
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at).join('+');
  for (const group of [ids(1, 100), ids(101, 122), '123+124', '125']) {
    await untilHandled(handled, group);
    await end(group);
  }
  await queue.stop();
});

/** Returns the milliseconds between the starts of the groups. */
function pausesBetween(startedAt: readonly number[]): number[] {
  return startedAt.slice(1).map((start, index) => start - (startedAt[index] ?? 0));
}

test('messages gather for a longer time after a large group', async () => {
  const { add, end, handled, queue, startedAt } = sceneOf();
  for (const group of ['1', '2+3+4+5+6+7+8+9+10+11', '12']) {
    for (const seq of group.split('+')) add({ seq: Number(seq), shared: true });
    await untilHandled(handled, group);
    await end(group);
  }
  const [afterSmall, afterLarge] = pausesBetween(startedAt);
  expect(afterSmall).toBeGreaterThan(10);
  expect(afterLarge).toBeGreaterThan(35);
  await queue.stop();
});

test('a group after one of the maximum size starts at once', async () => {
  const { add, end, handled, queue, startedAt } = sceneOf();
  for (let seq = 1; seq <= 301; seq += 1) add({ seq, shared: true });
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at).join('+');
  for (const group of [ids(1, 100), ids(101, 200), ids(201, 300), '301']) {
    await untilHandled(handled, group);
    await end(group);
  }
  expect(Math.min(...pausesBetween(startedAt))).toBeLessThan(18);
  await queue.stop();
});

test('with a delay, messages wait before they are handled, and remain in order', async () => {
  const { add, end, handled, queue } = sceneOf({ deferMs: 30 });
  const began = performance.now();
  add({ seq: 1, aggregate: 'x' });
  add({ seq: 2, aggregate: 'x' });
  while (handled.length === 0) await sleep(1);
  expect(performance.now() - began).toBeGreaterThan(28);
  expect(handled).toEqual(['1']);
  await sleep(40);
  await end('1');
  await end('2');
  expect(handled).toEqual(['1', '2']);
  await queue.stop();
});
