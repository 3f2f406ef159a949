import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import type { Network } from '../network.ts';

/** Number of visitors with the same source address. The gateway allows 50. */
const PER_ADDRESS = 50;

/** Number of connections to open at once. */
const BATCH = 100;

export interface LiveFigures {
  /** Memory of the gateway in MiB, before the visitors connected and while all are connected. */
  readonly memoryBefore: number;
  readonly memoryWith: number;
  /** Milliseconds from the response to a change until every visitor received it. */
  readonly receivedMs: number;
}

/**
 * Connects visitors to the event stream of a page, changes the page, and waits until each visitor received the change.
 */
export async function notifyLiveVisitors(network: Network, count: number): Promise<LiveFigures> {
  const slug = `live-${count}`;
  const { id } = await network.api.post<{ id: string }>('/status-pages', { name: 'Live', slug, enabled: true });
  const memory = async () => (await network.metric('gateway', 'process_resident_memory_bytes')) / 2 ** 20;
  const memoryBefore = await memory();
  const visitors: Visitor[] = [];
  try {
    for (let first = 0; first < count; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
      visitors.push(...(await Promise.all(batch.map((index) => connectVisitor(network.baseUrl, slug, index)))));
    }
    await eventually(async () => expect(await network.metric('gateway', 'tocsin_live_visitors')).toBe(count));
    await eventually(() => expect(visitors.filter(({ events }) => events() < 1)).toHaveLength(0));
    const memoryWith = await memory();
    await network.api.patch(`/status-pages/${id}`, { name: 'Changed' });
    const changedAt = performance.now();
    await eventually(() => expect(visitors.filter(({ events }) => events() < 2)).toHaveLength(0));
    const receivedMs = performance.now() - changedAt;
    expect(visitors.filter(({ socket }) => socket.destroyed)).toHaveLength(0);
    return { memoryBefore, memoryWith, receivedMs };
  } finally {
    for (const { socket } of visitors) socket.destroy();
    await network.api.delete(`/status-pages/${id}`);
  }
}

interface Visitor {
  readonly socket: Socket;
  /** Returns the number of `page` events that the visitor received. */
  events(): number;
}

async function connectVisitor(baseUrl: string, slug: string, index: number): Promise<Visitor> {
  const { hostname, port, host } = new URL(baseUrl);
  const network = Math.floor(index / PER_ADDRESS);
  const localAddress = `127.0.${1 + Math.floor(network / 250)}.${1 + (network % 250)}`;
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  let events = 0;
  socket.on('data', (chunk) => {
    events += chunk.toString().split('event: page').length - 1;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /s/${slug}/events HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`);
  return { socket, events: () => events };
}
