import type { JsMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { ReturnedMessages } from './returned-messages.ts';

/** A message of an aggregate, with the pauses with which it was returned. */
function messageOf(aggregate: string, sequence: number, deliveryCount = 1) {
  const meta = headers();
  meta.set('Tocsin-Aggregate', aggregate);
  meta.set('Tocsin-Sequence', `${sequence}`);
  const pauses: number[] = [];
  const nak = (pauseMs: number) => void pauses.push(pauseMs);
  return { message: { headers: meta, info: { deliveryCount }, nak } as unknown as JsMsg, pauses };
}

function sceneOf() {
  let now = 0;
  const returned = new ReturnedMessages(() => now);
  return {
    returned,
    wait: (ms: number) => {
      now += ms;
    },
    /** Returns a message of an aggregate, and returns its pause in milliseconds. */
    returnOne(aggregate: string, sequence = 1, organization = 'a') {
      const { message, pauses } = messageOf(aggregate, sequence);
      returned.return(message, organization);
      return pauses[0];
    },
    isBehind: (aggregate: string, sequence: number, deliveryCount = 1) =>
      returned.noteDelivery(messageOf(aggregate, sequence, deliveryCount).message, 'a'),
    start: (aggregate: string, sequence: number) => returned.noteStart(messageOf(aggregate, sequence).message),
  };
}

test('500 messages of an organization are delivered again in a second, and each after a minute at the latest', () => {
  const { returnOne, isBehind, wait } = sceneOf();
  const pauses = Array.from({ length: 40_000 }, (_, index) => returnOne(`${index}`));
  const numberOf = (pause: number) => pauses.filter((each) => each === pause).length;
  // Many pauses end together, after a multiple of 5 s. The shortest one is 1 s.
  expect(pauses).toEqual(pauses.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  expect([5_000, 10_000, 15_000, 55_000].map(numberOf)).toEqual([2_000, 2_500, 2_500, 2_500]);
  expect(pauses.at(-1)).toBe(60_000);
  wait(4_500);
  expect(returnOne('other', 1, 'b')).toBe(5_500);
  for (let index = 0; index < 39_500; index += 1) isBehind(`${index}`, 1, 2);
  expect(returnOne('last')).toBe(5_500);
});

test('the messages of an aggregate wait for a returned one, and for each other', () => {
  const { returnOne, isBehind, start } = sceneOf();
  returnOne('x', 5);
  returnOne('x', 6);
  expect([isBehind('x', 4), isBehind('x', 5), isBehind('x', 6), isBehind('x', 7)]).toEqual([false, false, true, true]);
  expect(isBehind('y', 6)).toBe(false);
  start('x', 5);
  expect([isBehind('x', 6), isBehind('x', 7)]).toEqual([false, true]);
  start('x', 6);
  expect(isBehind('x', 7)).toBe(false);
});

test('a message does not wait for a returned one that another process has received', () => {
  const { returned, returnOne, isBehind, wait } = sceneOf();
  const pause = returnOne('x', 5) ?? 0;
  wait(pause + 9_999);
  returned.removeOverdue();
  expect(isBehind('x', 6)).toBe(true);
  wait(1);
  expect(isBehind('x', 6)).toBe(false);
  returned.removeOverdue();
  expect(isBehind('x', 6)).toBe(false);
});

test('a message without a number in its aggregate waits for none', () => {
  const { returnOne, isBehind } = sceneOf();
  returnOne('x', Number.NaN);
  returnOne('x', 5);
  expect(isBehind('x', 6)).toBe(false);
});
