import { DisruptionService, DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionFixture } from './start-disruption.ts';

const fixture = await disruptionFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

const ours = v7();
const first = aMonitor({ organizationId: ours, name: 'First' });
const second = aMonitor({ organizationId: ours, name: 'Second' });
await fixture.publish(first.wentDown('2026-01-01T10:00:00Z'));
await eventually(async () => {
  expect((await fixture.rpc.listDisruptions({}, await fixture.as(ours))).disruptions).toHaveLength(1);
});
await fixture.publish(second.wentDown('2026-01-01T09:00:00Z'));
const disruptions = await eventually(async () => {
  const found = (await fixture.rpc.listDisruptions({}, await fixture.as(ours))).disruptions;
  expect(found).toHaveLength(2);
  return found;
});
const [newest] = disruptions;

test('the list is sorted newest first, and an item in it equals the response of getDisruption()', async () => {
  expect(disruptions.map(({ title }) => title)).toEqual(['Second is down', 'First is down']);
  const { disruption } = await fixture.rpc.getDisruption({ id: newest?.id ?? '' }, await fixture.as(ours));
  expect(disruption).toEqual(newest);
  expect(disruption?.status).toBe(DisruptionStatus.INVESTIGATING);
});

test("getDisruption() fails with not_found for another organization's disruption, an unknown id and an invalid id", async () => {
  const theirs = await fixture.as(v7());
  const refusal = { kind: 'not_found', message: 'disruption not found' };
  await expect(fixture.rpc.getDisruption({ id: newest?.id ?? '' }, theirs)).rejects.toMatchObject(refusal);
  await expect(fixture.rpc.getDisruption({ id: v7() }, await fixture.as(ours))).rejects.toMatchObject(refusal);
  await expect(fixture.rpc.getDisruption({ id: 'nonsense' }, await fixture.as(ours))).rejects.toMatchObject(refusal);
  expect((await fixture.rpc.listDisruptions({}, theirs)).disruptions).toEqual([]);
});

test('row security protects every table', async () => {
  for (const table of ['disruption', 'disruption_update']) {
    const see = (scope: Parameters<typeof fixture.tables.transaction>[0]) =>
      fixture.tables.transaction(scope, (tx) => tx.query(`select id from ${table}`));
    expect(await see({ organizationId: v7() })).toEqual([]);
    expect(await see({ organizationId: ours })).toHaveLength(2);
  }
});

test('a call without a token is refused', async () => {
  const stranger = createRpcClient(DisruptionService, createTransport({ url: fixture.url, service: 'disruption' }));
  await expect(stranger.listDisruptions({})).rejects.toMatchObject({ kind: 'unauthenticated' });
});
