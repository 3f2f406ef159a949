import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { endConnectionsAfter } from '../src/plugins/ending-connections.ts';

const app = fastify();
const stop = new AbortController();
app.get('/', async () => 'done');
endConnectionsAfter(app, stop.signal);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());

test('connections stay open until the signal to stop, and end with their first response after the signal', async () => {
  const before = await fetch(url);
  expect([before.headers.get('connection'), await before.text()]).toEqual(['keep-alive', 'done']);
  stop.abort();
  const after = await fetch(url);
  expect([after.headers.get('connection'), await after.text()]).toEqual(['close', 'done']);
});
