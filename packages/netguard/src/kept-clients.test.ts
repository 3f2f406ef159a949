import { createServer } from 'node:http';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeptClients } from './kept-clients.ts';

const server = createServer((_request, response) => response.end('ok'));
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function connected(): Promise<Client> {
  const client = new Client(origin);
  await (await client.request({ method: 'GET', path: '/' })).body.text();
  return client;
}

test('each client is returned once, the most recently used first', async () => {
  const kept = new KeptClients(() => 0);
  const [first, second] = [await connected(), await connected()];
  kept.give(origin, { client: first, connectedAt: 0 });
  kept.give(origin, { client: second, connectedAt: 0 });
  expect(kept.take('http://other.test')).toBeUndefined();
  expect(kept.take(origin)?.client).toBe(second);
  expect(kept.take(origin)?.client).toBe(first);
  expect(kept.take(origin)).toBeUndefined();
  await Promise.all([first.destroy(), second.destroy()]);
});

test('a connection is reused for less than 30 seconds', async () => {
  let now = 29_999;
  const kept = new KeptClients(() => now);
  const client = await connected();
  kept.give(origin, { client, connectedAt: 0 });
  expect(kept.take(origin)?.client).toBe(client);
  kept.give(origin, { client, connectedAt: 0 });
  now = 30_000;
  expect(kept.take(origin)).toBeUndefined();
  expect(client.destroyed).toBe(true);
});

test('at most 32 connections per origin and 256 in total are kept', async () => {
  const kept = new KeptClients(() => 0);
  const clients = await Promise.all(Array.from({ length: 33 }, connected));
  for (const client of clients) kept.give(origin, { client, connectedAt: 0 });
  expect(clients.filter(({ destroyed }) => destroyed)).toEqual([clients[32]]);

  const others = await Promise.all(Array.from({ length: 225 }, connected));
  for (const [index, client] of others.entries()) kept.give(`http://${index}.test`, { client, connectedAt: 0 });
  // The last connection replaced the oldest one.
  expect(clients.slice(0, 2).map(({ destroyed }) => destroyed)).toEqual([true, false]);
  expect(others.filter(({ destroyed }) => destroyed)).toEqual([]);
  await Promise.all([...clients, ...others].map((client) => client.destroy()));
});

test('a destroyed client is not returned', async () => {
  const kept = new KeptClients();
  const client = await connected();
  kept.give(origin, { client, connectedAt: performance.now() });
  await client.destroy();
  expect(kept.take(origin)).toBeUndefined();
});
