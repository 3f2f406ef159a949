import { expect, test } from 'vitest';
import { tellLiveVisitors } from '../journeys/live-visitors.ts';
import { startNetwork } from '../network.ts';

const VISITORS = 10_000;

test(`${VISITORS} visitors of one replica are told of a change, and the gateway's memory is bounded`, async () => {
  await using network = await startNetwork();
  const { memoryBefore, memoryWith, toldMs } = await tellLiveVisitors(network, VISITORS);
  const perVisitor = ((memoryWith - memoryBefore) * 1024) / VISITORS;
  console.table({ memoryBefore, memoryWith, perVisitorKiB: perVisitor, toldMs });
  expect(memoryWith).toBeLessThan(768);
  expect(toldMs).toBeLessThan(10_000);
});
