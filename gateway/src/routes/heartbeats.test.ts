import { create } from '@bufbuild/protobuf';
import { SignalAnswerSchema, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { AddressWindows } from '../plugins/address-windows.ts';
import { addHeartbeats } from './heartbeats.ts';

const KNOWN = 'k'.repeat(32);
const tokenOf = (number: number) => String(number).padStart(32, '0');

/** Starts the route with a service that responds only when `respond` is called. */
async function start(outcome: SignalOutcome) {
  const response = Promise.withResolvers<void>();
  const state = { sent: 0 };
  const app = fastify();
  const heartbeats = {
    async send(token: string) {
      state.sent += 1;
      if (token !== KNOWN) await response.promise;
      return create(SignalAnswerSchema, {
        outcome: token === KNOWN ? SignalOutcome.HEARD : outcome,
        state: MonitorState.UP,
      });
    },
    isKnown: (token: string) => token === KNOWN,
  };
  await addHeartbeats(app, heartbeats, new AddressWindows(60));
  const ping = async (token: string, remoteAddress: string) =>
    (await app.inject({ url: `/api/heartbeat/${token}`, remoteAddress })).statusCode;
  return { ping, state, respond: () => response.resolve() };
}

test('an address can have a limited number of pending pings with unknown tokens', async () => {
  const { ping, state, respond } = await start(SignalOutcome.NOT_FOUND);
  const pings = Array.from({ length: 1_100 }, (_, number) => ping(tokenOf(number), `2001:db8:1:${number % 9}::1`));
  expect(await Promise.all(pings.slice(1_000))).toEqual(Array(100).fill(429));
  expect(state.sent).toBe(1_000);
  expect(await ping(KNOWN, '2001:db8:1::1')).toBe(200);
  const other = ping(tokenOf(2_000), '2001:db8:2::1');
  respond();
  expect(await other).toBe(404);
  expect(new Set(await Promise.all(pings.slice(0, 1_000)))).toEqual(new Set([404]));
  expect(await ping(tokenOf(3_000), '2001:db8:1:1::1')).toBe(429);
});

test('the first pings of many jobs of a machine all pass', async () => {
  const { ping, respond } = await start(SignalOutcome.HEARD);
  const pings = Array.from({ length: 1_000 }, (_, number) => ping(tokenOf(number), '192.0.2.1'));
  respond();
  expect(new Set(await Promise.all(pings))).toEqual(new Set([200]));
  expect(await ping(tokenOf(1_001), '192.0.2.1')).toBe(200);
});
