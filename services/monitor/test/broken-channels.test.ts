import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { getMonitor } from '../src/app/monitors/get-monitor.ts';
import { recordChannelHealth } from '../src/app/monitors/link-channels.ts';
import { updateMonitor } from '../src/app/monitors/update-monitor.ts';
import { historyFixture } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { database, deps } = fixture;

test('channelsBroken of a monitor is true only while all of its channels are broken', async () => {
  const { id, organizationId } = await fixture.monitor();
  const [first, second] = [v7(), v7()];
  const saysSo = async () => (await getMonitor(deps, organizationId, id)).channelsBroken;
  const apply = (broken: boolean, channelId: string) =>
    database.transaction({ organizationId }, (tx) => recordChannelHealth(tx, { organizationId, channelId, broken }));
  const sql = 'update monitor set alert_channel_ids = $2 where id = $1';
  expect(await saysSo()).toBe(false);
  await database.transaction({ organizationId }, (tx) => tx.query(sql, [id, [first, second]]));
  await apply(true, first);
  expect(await saysSo()).toBe(false);
  await apply(true, second);
  await apply(true, second);
  expect(await saysSo()).toBe(true);
  expect((await updateMonitor(deps, organizationId, id, { name: 'Till' })).channelsBroken).toBe(true);
  await apply(false, first);
  expect(await saysSo()).toBe(false);
});
