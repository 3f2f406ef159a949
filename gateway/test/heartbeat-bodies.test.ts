import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { SignalAnswerSchema, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Heartbeats } from '../src/clients/heartbeats.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addHeartbeats } from '../src/routes/heartbeats.ts';

const LIMIT = 1_000_000;
const PATH = `/api/heartbeat/${'x'.repeat(32)}`;

const app = fastify();
let port = 0;
let pings = 0;
beforeAll(async () => {
  addErrorHandlers(app);
  const heartbeats: Heartbeats = {
    async send() {
      pings += 1;
      return create(SignalAnswerSchema, { outcome: SignalOutcome.HEARD, state: MonitorState.UP });
    },
    isKnown: () => false,
  };
  await addHeartbeats(app, heartbeats, new AddressWindows(0));
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** Opens a connection and sends the headers of a ping. `received` collects the response. */
async function beginPing(headers: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`POST ${PATH} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\n`);
  return { socket, received: () => text };
}

test('a ping is recorded and gets its response before its body has arrived', async () => {
  const before = pings;
  const { socket, received } = await beginPing('content-type: text/plain\r\ncontent-length: 1000');
  socket.write('the first bytes');
  await eventually(() => expect(received()).toMatch(/^HTTP\/1\.1 200 /));
  expect(pings).toBe(before + 1);
  socket.destroy();
});

test('the connection of a ping can be reused after a slow body', async () => {
  const { socket, received } = await beginPing('content-length: 4');
  await eventually(() => expect(received()).toMatch(/^HTTP\/1\.1 200 /));
  socket.write('late');
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await eventually(() => expect(received().match(/HTTP\/1\.1 200 /g)).toHaveLength(2));
  socket.destroy();
});

test.each([
  [LIMIT, 200],
  [LIMIT + 1, 413],
])('a ping with a body of %i bytes gets the status %i', async (length, status) => {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', body: 'x'.repeat(length) });
  expect(response.status).toBe(status);
});

test('the connection of a ping is closed when a body without a Content-Length exceeds the limit', async () => {
  const { socket } = await beginPing('transfer-encoding: chunked');
  const chunk = `186a0\r\n${'x'.repeat(100_000)}\r\n`;
  for (let sent = 0; sent <= LIMIT && !socket.destroyed; sent += 100_000) socket.write(chunk);
  await eventually(() => expect(socket.closed).toBe(true));
});
