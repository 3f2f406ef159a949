import { expect, test } from 'vitest';
import { notifyLiveVisitors } from '../journeys/live-visitors.ts';
import { startNetwork } from '../network.ts';

const VISITORS = 10_000;

test(`${VISITORS} visitors on one replica are notified of a change, and the gateway's memory is bounded`, async () => {
  await using network = await startNetwork();
  const { memoryBefore, memoryWith, receivedMs } = await notifyLiveVisitors(network, VISITORS);
  const perVisitor = ((memoryWith - memoryBefore) * 1024) / VISITORS;
  console.table({ memoryBefore, memoryWith, perVisitorKiB: perVisitor, receivedMs });
  expect(memoryWith).toBeLessThan(768);
  expect(receivedMs).toBeLessThan(10_000);
});
