import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { testNats } from '../src/index.ts';

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(true));
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('a test can stop and start its NATS server, and the address stays the same', async () => {
  await using nats = await testNats();
  const { url } = nats;
  expect(await isListening(url)).toBe(true);
  await nats.stop();
  expect(await isListening(url)).toBe(false);
  await nats.start();
  expect(nats.url).toBe(url);
  expect(await isListening(url)).toBe(true);
});
