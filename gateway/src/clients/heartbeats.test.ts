import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { type HeartbeatService, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { gatherHeartbeats } from './heartbeats.ts';

type Outcomes = { token: string; outcome: SignalOutcome }[];

/** Returns a fake monitor service whose calls a test completes one by one. */
function slowService() {
  const calls: { tokens: string[]; kinds: SignalKind[]; end: PromiseWithResolvers<void> }[] = [];
  const locked = new Set<string>();
  const client = {
    async recordSignals({ signals }: { signals: { token: string; kind: SignalKind }[] }) {
      const end = Promise.withResolvers<void>();
      calls.push({ tokens: signals.map(({ token }) => token), kinds: signals.map(({ kind }) => kind), end });
      await end.promise;
      const answers: Outcomes = signals.map(({ token }) => ({
        token,
        outcome: locked.has(token) ? SignalOutcome.LOCKED : SignalOutcome.HEARD,
      }));
      return { answers };
    },
  };
  // The cast is safe, because the tested code calls only this method.
  return { calls, locked, heartbeats: gatherHeartbeats(client as unknown as Client<typeof HeartbeatService>) };
}

test('the first signal is sent at once, the signals that arrive during its call share the next call, and each gets its response', async () => {
  const { calls, heartbeats } = slowService();
  const outcomes = ['a', 'b', 'c'].map((token) => heartbeats.send(token, SignalKind.PING));
  expect(calls.map(({ tokens }) => tokens)).toEqual([['a']]);
  calls[0]?.end.resolve();
  expect(await outcomes[0]).toMatchObject({ token: 'a' });
  await eventually(() => expect(calls.map(({ tokens }) => tokens)).toEqual([['a'], ['b', 'c']]));
  calls[1]?.end.resolve();
  expect(await Promise.all(outcomes)).toMatchObject([{ token: 'a' }, { token: 'b' }, { token: 'c' }]);
});

test('a failed call rejects only the signals in this call', async () => {
  const { calls, heartbeats } = slowService();
  const lost = heartbeats.send('a', SignalKind.PING);
  const kept = heartbeats.send('b', SignalKind.FAIL);
  calls[0]?.end.reject(new ServiceError('unavailable', 'away'));
  await expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
  await eventually(() => expect(calls).toHaveLength(2));
  calls[1]?.end.resolve();
  expect(await kept).toMatchObject({ token: 'b' });
});

test('a signal for a locked monitor is sent again before later signals for this monitor, and delays no signal for other monitors', async () => {
  const { calls, locked, heartbeats } = slowService();
  locked.add('a');
  const first = heartbeats.send('a', SignalKind.START);
  const [second, other] = [heartbeats.send('a', SignalKind.PING), heartbeats.send('b', SignalKind.PING)];
  calls[0]?.end.resolve();
  await eventually(() => expect(calls[1]?.tokens).toEqual(['b', 'a', 'a']));
  expect(calls[1]?.kinds).toEqual([SignalKind.PING, SignalKind.START, SignalKind.PING]);
  calls[1]?.end.resolve();
  expect(await other).toMatchObject({ token: 'b' });
  locked.clear();
  await eventually(() => expect(calls[2]?.kinds).toEqual([SignalKind.START, SignalKind.PING]));
  calls[2]?.end.resolve();
  expect(await Promise.all([first, second])).toMatchObject([{ token: 'a' }, { token: 'a' }]);
});

test('signals for locked monitors do not delay signals for other monitors, even if they do not all fit into one call', async () => {
  const { calls, locked, heartbeats } = slowService();
  const held: Promise<unknown>[] = [];
  for (let index = 0; index < 1_200; index += 1) {
    locked.add(`locked-${index}`);
    held.push(heartbeats.send(`locked-${index}`, SignalKind.PING));
  }
  calls[0]?.end.resolve();
  await eventually(() => expect(calls[1]?.tokens).toHaveLength(500));
  const other = heartbeats.send('other', SignalKind.PING);
  // `other` is sent after the queued signals that have not been sent yet, and before the refused signals of locked
  // monitors are sent again.
  for (const index of [1, 2, 3]) {
    await eventually(() => expect(calls).toHaveLength(index + 1));
    calls[index]?.end.resolve();
  }
  const callsOfOther = calls.flatMap(({ tokens }, index) => (tokens.includes('other') ? [index] : []));
  expect(callsOfOther).toEqual([3]);
  expect(await other).toMatchObject({ token: 'other' });

  locked.clear();
  const allRecorded = Promise.all(held);
  let isDone = false;
  void allRecorded.then(() => (isDone = true));
  await eventually(() => {
    for (const { end } of calls) end.resolve();
    expect(isDone).toBe(true);
  });
});

test('six signals per token may wait; the seventh is refused without affecting other tokens', async () => {
  const { calls, heartbeats } = slowService();
  const six = Array.from({ length: 6 }, () => heartbeats.send('a', SignalKind.PING));
  expect(await heartbeats.send('a', SignalKind.PING)).toMatchObject({ outcome: SignalOutcome.RATE_LIMITED });
  const other = heartbeats.send('b', SignalKind.PING);
  calls[0]?.end.resolve();
  await eventually(() => expect(calls[1]?.tokens).toEqual(['a', 'a', 'a', 'a', 'a', 'b']));
  // The first signal no longer waits, so one more signal may wait.
  const next = heartbeats.send('a', SignalKind.PING);
  expect(await heartbeats.send('a', SignalKind.PING)).toMatchObject({ outcome: SignalOutcome.RATE_LIMITED });
  calls[1]?.end.resolve();
  await eventually(() => expect(calls[2]?.tokens).toEqual(['a']));
  calls[2]?.end.resolve();
  expect(await Promise.all([...six, other, next])).toHaveLength(8);
});

test('signals of failed calls no longer count as waiting signals of their token', async () => {
  const { calls, heartbeats } = slowService();
  const six = Promise.allSettled(Array.from({ length: 6 }, () => heartbeats.send('a', SignalKind.PING)));
  calls[0]?.end.reject(new ServiceError('unavailable', 'away'));
  await eventually(() => expect(calls).toHaveLength(2));
  calls[1]?.end.reject(new ServiceError('unavailable', 'away'));
  expect((await six).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  const next = heartbeats.send('a', SignalKind.PING);
  await eventually(() => expect(calls).toHaveLength(3));
  calls[2]?.end.resolve();
  expect(await next).toMatchObject({ token: 'a' });
});
