import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { type HeartbeatService, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { gatherHeartbeats } from './heartbeats.ts';

type Outcomes = { token: string; outcome: SignalOutcome; organizationId: string }[];

/**
 * Returns a fake monitor service whose calls a test completes one by one. Tokens are `<organization>/<name>`; a token
 * without a slash belongs to no known organization.
 */
function slowService(giveUpMs?: number) {
  const calls: { tokens: string[]; kinds: SignalKind[]; end: PromiseWithResolvers<void> }[] = [];
  const locked = new Set<string>();
  const missing = new Set<string>();
  const client = {
    async recordSignals({ signals }: { signals: { token: string; kind: SignalKind }[] }) {
      const end = Promise.withResolvers<void>();
      calls.push({ tokens: signals.map(({ token }) => token), kinds: signals.map(({ kind }) => kind), end });
      await end.promise;
      const answers: Outcomes = signals.map(({ token }) => ({
        token,
        outcome: missing.has(token)
          ? SignalOutcome.NOT_FOUND
          : locked.has(token)
            ? SignalOutcome.LOCKED
            : SignalOutcome.HEARD,
        organizationId: token.includes('/') ? (token.split('/')[0] ?? '') : '',
      }));
      return { answers };
    },
  };
  // The cast is safe, because the tested code calls only this method.
  const heartbeats = gatherHeartbeats(client as unknown as Client<typeof HeartbeatService>, giveUpMs);

  /** Sends a ping for each token, and completes the calls. Removes the calls, so that a test sees only later ones. */
  async function learn(tokens: readonly string[]): Promise<void> {
    let isDone = false;
    const pings = tokens.map((token) => heartbeats.send(token, SignalKind.PING));
    void Promise.all(pings).then(() => (isDone = true));
    await eventually(() => {
      for (const { end } of calls) end.resolve();
      expect(isDone).toBe(true);
    });
    calls.length = 0;
  }
  return { calls, locked, missing, heartbeats, learn };
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

test('signals of a call that the service did not answer are sent again, before later signals with the same token', async () => {
  const { calls, heartbeats } = slowService();
  const first = heartbeats.send('a', SignalKind.START);
  const [second, other] = [heartbeats.send('a', SignalKind.PING), heartbeats.send('b', SignalKind.PING)];
  calls[0]?.end.reject(new ServiceError('unavailable', 'away'));
  await eventually(() => expect(calls).toHaveLength(2));
  calls[1]?.end.reject(new ServiceError('deadline', 'too slow'));
  await eventually(() => expect(calls).toHaveLength(3));
  const ofA = calls[2]?.kinds.filter((_, index) => calls[2]?.tokens[index] === 'a');
  expect(ofA).toEqual([SignalKind.START, SignalKind.PING]);
  calls[2]?.end.resolve();
  expect(await Promise.all([first, second, other])).toMatchObject([{ token: 'a' }, { token: 'a' }, { token: 'b' }]);
});

test('signals that the service refuses for good are rejected without another attempt', async () => {
  const { calls, heartbeats } = slowService();
  const refused = heartbeats.send('a', SignalKind.PING);
  calls[0]?.end.reject(new ServiceError('invalid', 'wrong'));
  await expect(refused).rejects.toMatchObject({ kind: 'invalid' });
  expect(calls).toHaveLength(1);
});

test('after the deadline, a failed call rejects only the signals in this call', async () => {
  const { calls, heartbeats } = slowService(0);
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
  const { calls, heartbeats } = slowService(0);
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

/** Returns the tokens of an organization's monitors. */
const tokensOf = (organization: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${organization}/${index}`);

test('organizations are served in turn, so thousands of waiting signals of one do not delay the signals of another', async () => {
  const { calls, heartbeats, learn } = slowService();
  const large = tokensOf('large', 2_000);
  await learn([...large, 'small/1', 'small/2']);
  const sent = [...large, 'small/1', 'small/2'].map((token) => heartbeats.send(token, SignalKind.PING));
  calls[0]?.end.resolve();
  await eventually(() => expect(calls).toHaveLength(2));
  expect(calls[1]?.tokens.slice(0, 5)).toEqual(['large/1', 'small/1', 'large/2', 'small/2', 'large/3']);
  expect(calls[1]?.tokens).toHaveLength(500);
  await eventually(() => {
    for (const { end } of calls) end.resolve();
    expect(calls).toHaveLength(6);
  });
  calls[5]?.end.resolve();
  expect(await Promise.all(sent)).toHaveLength(2_002);
});

test('signals with tokens of unknown organizations share one turn', async () => {
  const { calls, heartbeats, learn } = slowService();
  await learn(['known/1']);
  const sent = ['first', 'new/1', 'new/2', 'other/1', 'known/1'].map((token) =>
    heartbeats.send(token, SignalKind.PING),
  );
  calls[0]?.end.resolve();
  await eventually(() => expect(calls[1]?.tokens).toEqual(['new/1', 'known/1', 'new/2', 'other/1']));
  calls[1]?.end.resolve();
  expect(await Promise.all(sent)).toHaveLength(5);
});

test('an organization may have as many waiting signals as there are free places, so that others find places', async () => {
  const { calls, heartbeats, learn } = slowService();
  const large = tokensOf('large', 10_001);
  await learn(large.slice(0, 5_000));
  await learn([...large.slice(5_000), 'small/1', 'small/2']);
  const [running, ...waiting] = large.map((token) => heartbeats.send(token, SignalKind.PING));
  expect(waiting).toHaveLength(10_000);
  const refused = { kind: 'unavailable', message: 'too many pings at once; try again' };
  await expect(heartbeats.send('large/1', SignalKind.PING)).rejects.toMatchObject(refused);
  const other = heartbeats.send('small/1', SignalKind.PING);
  calls[0]?.end.resolve();
  await running;
  await eventually(() => expect(calls[1]?.tokens).toContain('small/1'));
  calls[1]?.end.resolve();
  expect(await other).toMatchObject({ token: 'small/1' });
  await eventually(() => {
    for (const { end } of calls) end.resolve();
    expect(calls.flatMap(({ tokens }) => tokens)).toHaveLength(10_002);
  });
  expect(await Promise.all(waiting)).toHaveLength(10_000);
});

test('the signals of a token stay in order when its organization becomes known in between', async () => {
  const { calls, heartbeats } = slowService();
  const sent = [heartbeats.send('acme/1', SignalKind.START)];
  for (let index = 0; index < 600; index += 1) sent.push(heartbeats.send(`unknown ${index}`, SignalKind.PING));
  sent.push(heartbeats.send('acme/1', SignalKind.PING));
  calls[0]?.end.resolve();
  await eventually(() => expect(calls).toHaveLength(2));
  // The organization is known now, but the second signal still waits in the turn of unknown organizations.
  sent.push(heartbeats.send('acme/1', SignalKind.FAIL));
  calls[1]?.end.resolve();
  await eventually(() => expect(calls).toHaveLength(3));
  const kinds = calls[2]?.kinds.filter((_, index) => calls[2]?.tokens[index] === 'acme/1');
  expect(kinds).toEqual([SignalKind.PING, SignalKind.FAIL]);
  calls[2]?.end.resolve();
  expect(await Promise.all(sent)).toHaveLength(603);
});

test('a token is known from its first response until no monitor has it', async () => {
  const { heartbeats, learn, missing } = slowService();
  expect(heartbeats.isKnown('acme/1')).toBe(false);
  await learn(['acme/1']);
  expect(heartbeats.isKnown('acme/1')).toBe(true);
  missing.add('acme/1');
  await learn(['acme/1']);
  expect(heartbeats.isKnown('acme/1')).toBe(false);
});
