import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from './world.ts';

const CONNECTIONS = 200;
const BYTE_EVERY_MS = 1_000;
const PAUSE_MS = 100;

/**
 * Sends request bodies byte by byte over many connections. Half of the requests have an API key, and the others go to
 * the heartbeat endpoint without one.
 */
export async function slowBodies(world: World, ready: () => void): Promise<void> {
  const { baseUrl, apiKey, size } = world.order;
  const { hostname, port, host } = new URL(baseUrl);
  const heads = [
    `POST /api/v1/monitors HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${apiKey}\r\n`,
    `POST /api/heartbeat/${'x'.repeat(32)} HTTP/1.1\r\nhost: ${host}\r\n`,
  ];
  const loop = async (index: number) => {
    while (!world.signal.aborted) {
      const socket = connect({ host: hostname, port: Number(port) });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      let status = 0;
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        status = Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1] ?? 0);
      });
      socket.write(`${heads[index % heads.length]}content-type: application/json\r\ncontent-length: 10000\r\n\r\n{`);
      const timer = setInterval(() => socket.write(' '), BYTE_EVERY_MS);
      const abort = () => socket.destroy();
      world.signal.addEventListener('abort', abort, { once: true });
      await closed;
      clearInterval(timer);
      world.signal.removeEventListener('abort', abort);
      if (!world.signal.aborted) world.count(status);
      await sleep(PAUSE_MS);
    }
  };
  const running = Array.from({ length: Math.ceil(CONNECTIONS * size) }, (_, index) => loop(index));
  ready();
  await Promise.all(running);
}
