import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { startTarget, type Target } from '../target.ts';
import { openMonitor, openPage, timing } from './truthful-page.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let target: Target;
beforeAll(async () => {
  target = stack.use(await startTarget());
  network = stack.use(await startNetwork({ TOCSIN_PAGE_MAX_AGE_S: '2' }));
});
afterAll(() => stack.disposeAsync());

test('when checks stop, a page shows since when nothing has been checked, and the next check makes it operational again', {
  timeout: 600_000,
}, async () => {
  const monitor = await openMonitor(network, target);
  await monitor.becomes('up');
  const page = await openPage(network, [{ name: 'API', monitors: monitor.links }]);
  await page.shows('data-checked datetime', 'operational');
  const checker = network.installation.processes.get('checker')?.pid;
  if (checker === undefined) throw new Error('no checker is running');
  const waiting = { timeoutMs: 300_000, intervalMs: 1_000 };
  process.kill(checker, 'SIGSTOP');
  const stoppedAt = Date.now();
  try {
    // The text appears after 3.5 minutes: three 30-second intervals plus two minutes.
    await eventually(async () => expect(await page.text()).toContain('Nothing has been checked since'), waiting);
    await page.shows('No data', 'unknown');
    await eventually(async () => expect(await monitor.state()).toBe('stale'), waiting);
    await page.shows('No data', 'unknown');
  } finally {
    process.kill(checker, 'SIGCONT');
  }
  await monitor.becomes('up');
  await page.shows('All systems operational', 'operational');

  // The history has one interval without data, from three and a half minutes after the last round until the next one.
  const missing = await eventually(async () => {
    const intervals = await intervalsOf(page.components[0]?.id ?? '');
    const late = intervals.filter(({ started_at }) => started_at.getTime() > stoppedAt);
    expect(late.map(({ status }) => status)).toEqual(['no_data', 'operational']);
    return late[0];
  }, timing);
  const startedAfter = ((missing?.started_at.getTime() ?? 0) - stoppedAt) / 1_000;
  expect(startedAfter).toBeGreaterThan(175);
  expect(startedAfter).toBeLessThan(225);
});

interface Interval {
  readonly status: string;
  readonly started_at: Date;
}

/** Returns the recorded intervals of a component, oldest first. */
async function intervalsOf(componentId: string): Promise<Interval[]> {
  const client = new pg.Client({ connectionString: network.installation.postgres?.url });
  await client.connect();
  try {
    const { rows } = await client.query<Interval>(
      'select status, started_at from statuspage.component_interval where component_id = $1 order by started_at',
      [componentId],
    );
    return rows;
  } finally {
    await client.end();
  }
}
