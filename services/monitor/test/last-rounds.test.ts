import { timestampDate } from '@bufbuild/protobuf/wkt';
import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { CONFIG, monitorFixture, startChecker } from './start-monitor.ts';

const fixture = await monitorFixture();
const { clientOf } = await fixture.start();
const client = await clientOf(v7());
await startChecker(fixture.nats, 'local', () => 'pass');
afterAll(() => fixture[Symbol.asyncDispose]());

async function createMonitor(settings: object = {}): Promise<string> {
  const http = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG, intervalSeconds: 60 };
  return (await client.createMonitor({ ...http, ...settings })).monitor?.id ?? '';
}

test('the time of the last round of a monitor advances when the result of a newer round is decided', async () => {
  const id = await createMonitor();
  const read = async () => (await client.listLastRounds({ monitorIds: [id] })).lastRounds[0];
  await eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(MonitorState.UP));
  const first = await read();
  expect(first).toMatchObject({ monitorId: id, intervalSeconds: 60 });
  expect(first?.expectedSince && timestampDate(first.expectedSince)).toEqual(fixture.clock.now());
  fixture.clock.advance(60_000);
  await eventually(async () => {
    const [before, after] = [first?.at, (await read())?.at].map((at) => (at ? timestampDate(at).getTime() : 0));
    expect(after).toBeGreaterThan(before ?? 0);
  });
});

test('runningSince changes only after an interruption of the service', async () => {
  const read = async () => {
    const { runningSince } = await client.listLastRounds({ monitorIds: [] });
    return runningSince && timestampDate(runningSince);
  };
  const before = await eventually(async () => {
    const since = await read();
    if (!since) throw new Error('the service has not recorded yet that it is running');
    return since;
  });
  // No round is decided for an hour.
  fixture.clock.advance(3_600_000);
  await eventually(async () => expect(await read()).toEqual(fixture.clock.now()));
  expect(before.getTime()).toBeLessThanOrEqual(fixture.clock.now().getTime() - 3_600_000);
});

test('before the first ping, the last round of a heartbeat monitor has no time; its interval is the longest allowed gap between pings', async () => {
  const configJson = JSON.stringify({ expected_interval: 3_600, consecutive_misses: 3 });
  const id = await createMonitor({ name: 'Backup', checkType: CheckType.HEARTBEAT, configJson });
  const { lastRounds } = await client.listLastRounds({ monitorIds: [id] });
  expect(lastRounds).toMatchObject([{ monitorId: id, intervalSeconds: 10_800 }]);
  expect(lastRounds[0]?.at).toBeUndefined();
});

test('a list of last rounds leaves out disabled monitors, unknown ids and monitors of other organizations', async () => {
  const id = await createMonitor();
  const disabled = await createMonitor({ enabled: false });
  const ids = [id, disabled, v7(), 'nonsense'];
  const { lastRounds } = await client.listLastRounds({ monitorIds: ids });
  expect(lastRounds.map(({ monitorId }) => monitorId)).toEqual([id]);
  const stranger = await clientOf(v7());
  expect((await stranger.listLastRounds({ monitorIds: ids })).lastRounds).toEqual([]);
});

test('a request for last rounds accepts 500 ids and refuses more', async () => {
  const ids = Array.from({ length: 501 }, () => v7());
  expect((await client.listLastRounds({ monitorIds: ids.slice(1) })).lastRounds).toEqual([]);
  await expect(client.listLastRounds({ monitorIds: ids })).rejects.toMatchObject({
    kind: 'invalid',
    fields: { monitor_ids: ['must be at most 500'] },
  });
});
