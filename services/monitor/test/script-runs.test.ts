import { afterAll, expect, test } from 'vitest';
import { deleteHistory } from '../src/app/history/delete-history.ts';
import { listRuns } from '../src/app/history/list-runs.ts';
import { deleteMonitor } from '../src/app/monitors/delete-monitor.ts';
import { getScreenshot } from '../src/app/rounds/get-screenshot.ts';
import { saveScreenshot } from '../src/app/rounds/save-screenshot.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { historyFixture, resultOf } from './start-history.ts';

const DAY = 86_400_000;
const fixture = await historyFixture('2026-11-20T10:00:00Z');
const { clock, database, deps } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 7);
const SCRIPT = {
  steps: [
    { name: 'open', ms: 12, passed: true },
    { name: 'log "in"', ms: 3, passed: false },
  ],
  log: ['one, two', '{"a": 1}', ''],
  location: { line: 3, column: 7 },
  hasScreenshot: false,
};

const synthetic = () => fixture.monitor({ checkType: 'synthetic', configJson: '{"script":"1"}' });

/** Records a round with a script that failed in region a and passed in region b. Returns its time. */
async function failedRound({ id, ...monitor }: Monitor): Promise<Date> {
  const roundAt = clock.now();
  await fixture.record(
    resultOf({ ...monitor, id }, { roundAt, outcome: 'fail', error: 'no cart', script: SCRIPT }),
    resultOf(
      { ...monitor, id },
      { roundAt, region: 'b', script: { steps: [], log: [], location: undefined, hasScreenshot: false } },
    ),
  );
  return roundAt;
}

const runs = async ({ organizationId, id }: Monitor) =>
  (await listRuns(deps, organizationId, { monitorId: id, limit: 10, cursor: undefined })).runs;

async function pictureOf(monitor: Monitor, runId: string, region?: string): Promise<Uint8Array> {
  return Uint8Array.from(await getScreenshot(deps, monitor.organizationId, { monitorId: monitor.id, runId, region }));
}

test('each result of a round contains the details of its script run, including whether a screenshot is stored', async () => {
  const monitor = await synthetic();
  const roundAt = clock.now();
  await saveScreenshot(deps, { monitorId: monitor.id, roundAt, region: 'a', image: JPEG });
  await failedRound(monitor);
  const [run] = await runs(monitor);
  expect(run).toMatchObject({
    roundAt,
    results: [
      { region: 'a', outcome: 'fail', script: { ...SCRIPT, hasScreenshot: true } },
      { region: 'b', outcome: 'pass', script: { steps: [], log: [], location: undefined, hasScreenshot: false } },
    ],
  });
  expect(await pictureOf(monitor, run?.id ?? '', 'a')).toEqual(JPEG);
  expect(await pictureOf(monitor, run?.id ?? '')).toEqual(JPEG);
  await expect(pictureOf(monitor, run?.id ?? '', 'b')).rejects.toThrow('screenshot');
});

test('duplicate results and screenshots have no effect', async () => {
  const monitor = await synthetic();
  const roundAt = clock.now();
  for (const last of [1, 2]) {
    const image = Uint8Array.of(...JPEG, last);
    await saveScreenshot(deps, { monitorId: monitor.id, roundAt, region: 'a', image });
    await failedRound(monitor);
  }
  const [run, ...others] = await runs(monitor);
  expect(others).toEqual([]);
  expect(await pictureOf(monitor, run?.id ?? '')).toEqual(Uint8Array.of(...JPEG, 1));
});

test.each(['', 'x', 'zzzzzzzzzz', '%00', 'MI7G1Q80', '0'])(
  'no screenshot is found for the run id %j',
  async (runId) => {
    await expect(pictureOf(await synthetic(), runId)).rejects.toMatchObject({ kind: 'not_found' });
  },
);

test('an invalid screenshot is rejected, and a screenshot of a deleted monitor is not stored', async () => {
  const monitor = await synthetic();
  const picture = { monitorId: monitor.id, roundAt: clock.now(), region: 'a' };
  const image = new TextEncoder().encode('<script>');
  await expect(saveScreenshot(deps, { ...picture, image })).rejects.toMatchObject({
    fields: { image: ['is not a JPEG'] },
  });
  await deleteMonitor(deps, monitor.organizationId, monitor.id);
  await saveScreenshot(deps, { ...picture, image: JPEG });
  expect(await fixture.rows('screenshot', monitor.organizationId)).toBe(0);
});

test('screenshots are deleted after 30 days, and script runs after 90 days', async () => {
  const monitor = await synthetic();
  await saveScreenshot(deps, { monitorId: monitor.id, roundAt: clock.now(), region: 'a', image: JPEG });
  await failedRound(monitor);
  const keep = () => database.transaction('every organization', (tx) => dropOldPartitions(tx, clock.now()));
  const hasPicture = async () => (await runs(monitor))[0]?.results[0]?.script?.hasScreenshot;
  clock.advance(30 * DAY);
  await keep();
  expect(await hasPicture()).toBe(true);
  clock.advance(1_000);
  expect(await hasPicture()).toBe(false);
  const [run] = await runs(monitor);
  await expect(pictureOf(monitor, run?.id ?? '')).rejects.toMatchObject({ kind: 'not_found' });
  clock.advance(DAY);
  await keep();
  expect(await fixture.rows('screenshot', monitor.organizationId)).toBe(0);
  expect(await fixture.rows('script_run', monitor.organizationId)).toBe(2);
  clock.advance(60 * DAY);
  await keep();
  expect(await fixture.rows('script_run', monitor.organizationId)).toBe(0);
});

test("an organization can't see the script runs of another organization, and deleting a monitor deletes its script runs", async () => {
  const monitor = await synthetic();
  const other = await synthetic();
  await saveScreenshot(deps, { monitorId: monitor.id, roundAt: clock.now(), region: 'a', image: JPEG });
  await failedRound(monitor);
  const [run] = await runs(monitor);
  const stolen = { ...monitor, organizationId: other.organizationId };
  await expect(pictureOf(stolen, run?.id ?? '')).rejects.toMatchObject({ kind: 'not_found' });
  const rows = () =>
    Promise.all(
      [monitor, other].flatMap(({ organizationId }) =>
        ['script_run', 'screenshot'].map((table) => fixture.rows(table, organizationId)),
      ),
    );
  expect(await rows()).toEqual([2, 1, 0, 0]);
  await deleteMonitor(deps, monitor.organizationId, monitor.id);
  while ((await deleteHistory(deps)) === 'again');
  expect(await rows()).toEqual([0, 0, 0, 0]);
});
