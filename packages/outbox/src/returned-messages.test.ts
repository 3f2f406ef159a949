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
    isBehind: (aggregate: string, sequence: number) => returned.isBehind(messageOf(aggregate, sequence).message),
    /** Notes that a message was delivered again. */
    deliverAgain: (aggregate: string) => returned.noteDelivery(messageOf(aggregate, 1, 2).message, 'a'),
  };
}

test('250 messages of an organization are delivered again in a second, and each after five minutes at the latest', () => {
  const { returnOne, deliverAgain, wait } = sceneOf();
  const pauses = Array.from({ length: 100_000 }, (_, index) => returnOne(`${index}`));
  const numberOf = (pause: number) => pauses.filter((each) => each === pause).length;
  // Many pauses end together, after a multiple of 2 s. The shortest one is 1 s.
  expect(pauses).toEqual(pauses.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  expect([2_000, 4_000, 6_000, 298_000].map(numberOf)).toEqual([250, 500, 500, 500]);
  expect(pauses.at(-1)).toBe(300_000);
  wait(1_500);
  expect(returnOne('other', 1, 'b')).toBe(2_500);
  for (let index = 0; index < 99_500; index += 1) deliverAgain(`${index}`);
  expect(returnOne('last')).toBe(4_500);
});

test('the messages that follow a returned one in its aggregate come again together with it', () => {
  const { returned, returnOne, isBehind, wait } = sceneOf();
  expect(returnOne('x', 5)).toBe(2_000);
  expect([isBehind('x', 4), isBehind('x', 5), isBehind('x', 6), isBehind('y', 6)]).toEqual([false, false, true, false]);
  for (let index = 0; index < 900; index += 1) returnOne(`${index}`);
  wait(1_500);
  expect(returnOne('y', 6)).toBe(6_500);
  expect(returnOne('x', 6)).toBe(500);
  wait(450);
  // The one before it has come again, here or in another process.
  expect(isBehind('x', 6)).toBe(false);
  returned.removeEnded();
  expect([isBehind('x', 6), isBehind('y', 7)]).toEqual([false, true]);
});

test('a message that is returned before one of its aggregate that was returned earlier comes first', () => {
  const { returnOne, isBehind, wait } = sceneOf();
  returnOne('x', 6);
  wait(500);
  expect(returnOne('x', 5)).toBe(1_500);
  expect(isBehind('x', 6)).toBe(true);
});

test('a message without a number in its aggregate waits for none', () => {
  const { returnOne, isBehind } = sceneOf();
  returnOne('x', 5);
  expect(isBehind('x', Number.NaN)).toBe(false);
});
