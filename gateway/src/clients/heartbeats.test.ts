import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { type HeartbeatService, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { gatherHeartbeats } from './heartbeats.ts';

type Outcomes = { token: string; outcome: SignalOutcome }[];

/** A monitor service whose calls a test completes one by one. */
function slowService() {
  const calls: { tokens: string[]; end: PromiseWithResolvers<void> }[] = [];
  const locked = new Set<string>();
  const client = {
    async recordSignals({ signals }: { signals: { token: string }[] }) {
      const end = Promise.withResolvers<void>();
      calls.push({ tokens: signals.map(({ token }) => token), end });
      await end.promise;
      const answers: Outcomes = signals.map(({ token }) => ({
        token,
        outcome: locked.has(token) ? SignalOutcome.LOCKED : SignalOutcome.HEARD,
      }));
      return { answers };
    },
  };
  // Only this method is called.
  return { calls, locked, heartbeats: gatherHeartbeats(client as unknown as Client<typeof HeartbeatService>) };
}

test('the first signal is sent at once, later ones in a batch, and each gets its own response', async () => {
  const { calls, heartbeats } = slowService();
  const answers = ['a', 'b', 'c'].map((token) => heartbeats.send(token, SignalKind.PING));
  expect(calls.map(({ tokens }) => tokens)).toEqual([['a']]);
  calls[0]?.end.resolve();
  expect(await answers[0]).toMatchObject({ token: 'a' });
  await eventually(() => expect(calls.map(({ tokens }) => tokens)).toEqual([['a'], ['b', 'c']]));
  calls[1]?.end.resolve();
  expect(await Promise.all(answers)).toMatchObject([{ token: 'a' }, { token: 'b' }, { token: 'c' }]);
});

test('a failed call affects only its own signals', async () => {
  const { calls, heartbeats } = slowService();
  const lost = heartbeats.send('a', SignalKind.PING);
  const kept = heartbeats.send('b', SignalKind.FAIL);
  calls[0]?.end.reject(new ServiceError('unavailable', 'away'));
  await expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
  await eventually(() => expect(calls).toHaveLength(2));
  calls[1]?.end.resolve();
  expect(await kept).toMatchObject({ token: 'b' });
});

test('a signal whose monitor is being changed is sent again, before later ones, and delays no other', async () => {
  const { calls, locked, heartbeats } = slowService();
  locked.add('a');
  const first = heartbeats.send('a', SignalKind.START);
  const [second, other] = [heartbeats.send('a', SignalKind.PING), heartbeats.send('b', SignalKind.PING)];
  calls[0]?.end.resolve();
  await eventually(() => expect(calls[1]?.tokens).toEqual(['a', 'a', 'b']));
  calls[1]?.end.resolve();
  expect(await other).toMatchObject({ token: 'b' });
  locked.clear();
  await eventually(() => expect(calls[2]?.tokens).toEqual(['a', 'a']));
  calls[2]?.end.resolve();
  expect(await Promise.all([first, second])).toMatchObject([{ token: 'a' }, { token: 'a' }]);
});
