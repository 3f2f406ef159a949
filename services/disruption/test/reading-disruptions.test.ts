import { DisruptionService, DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionHouse } from './start-disruption.ts';

const house = await disruptionHouse();
afterAll(() => house[Symbol.asyncDispose]());

const ours = v7();
const first = aMonitor({ organizationId: ours, name: 'First' });
const second = aMonitor({ organizationId: ours, name: 'Second' });
await house.publish(first.wentDown('2026-01-01T10:00:00Z'));
await eventually(async () => {
  expect((await house.rpc.listDisruptions({}, await house.as(ours))).disruptions).toHaveLength(1);
});
await house.publish(second.wentDown('2026-01-01T09:00:00Z'));
const disruptions = await eventually(async () => {
  const found = (await house.rpc.listDisruptions({}, await house.as(ours))).disruptions;
  expect(found).toHaveLength(2);
  return found;
});
const [newest] = disruptions;

test('the list is newest first, and one alone reads the same', async () => {
  expect(disruptions.map(({ title }) => title)).toEqual(['Second is down', 'First is down']);
  const { disruption } = await house.rpc.getDisruption({ id: newest?.id ?? '' }, await house.as(ours));
  expect(disruption).toEqual(newest);
  expect(disruption?.status).toBe(DisruptionStatus.INVESTIGATING);
});

test("another organization's disruption, an unknown one and nonsense are the same: not found", async () => {
  const theirs = await house.as(v7());
  const refusal = { kind: 'not_found', message: 'disruption not found' };
  await expect(house.rpc.getDisruption({ id: newest?.id ?? '' }, theirs)).rejects.toMatchObject(refusal);
  await expect(house.rpc.getDisruption({ id: v7() }, await house.as(ours))).rejects.toMatchObject(refusal);
  await expect(house.rpc.getDisruption({ id: 'nonsense' }, await house.as(ours))).rejects.toMatchObject(refusal);
  expect((await house.rpc.listDisruptions({}, theirs)).disruptions).toEqual([]);
});

test('row security stands behind the queries', async () => {
  for (const table of ['disruption', 'disruption_update']) {
    const see = (scope: Parameters<typeof house.tables.transaction>[0]) =>
      house.tables.transaction(scope, (tx) => tx.query(`select id from ${table}`));
    expect(await see({ organizationId: v7() })).toEqual([]);
    expect(await see({ organizationId: ours })).toHaveLength(2);
  }
});

test('without a token nobody is answered', async () => {
  const stranger = createRpcClient(DisruptionService, createTransport({ url: house.url }));
  await expect(stranger.listDisruptions({})).rejects.toMatchObject({ kind: 'unauthenticated' });
});
