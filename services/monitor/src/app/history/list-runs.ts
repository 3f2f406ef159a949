import { invalid, notFound } from '@tocsin/errors';
import { floorToDay } from '../../domain/history/history-range.ts';
import { type Run, runsOf } from '../../domain/history/run.ts';
import type { CheckResult } from '../../domain/rounds/check-result.ts';
import { oldestScreenshot } from '../../domain/rounds/script-run.ts';
import { RETENTION_DAYS } from '../../storage/history/partitions.ts';
import { findResults, findRoundTimes } from '../../storage/history/run-store.ts';
import { findMonitor } from '../../storage/monitors/monitor-store.ts';
import { findScriptRuns } from '../../storage/rounds/script-run-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

export interface RunList {
  readonly monitorId: string;
  /** Page size, from 1 to 200. */
  readonly limit: number;
  readonly cursor: string | undefined;
  /** End of the listed time range, exclusive. Defaults to the current time. The cursor takes precedence. */
  readonly before?: Date | undefined;
}

/**
 * Returns a page of a monitor's rounds, newest first, and the cursor for the next page, which is undefined on the last
 * page.
 */
export async function listRuns(
  deps: Deps,
  organizationId: string,
  { monitorId, limit, cursor, before: end }: RunList,
): Promise<{ runs: Run[]; nextCursor: string | undefined }> {
  requireId(monitorId);
  const now = deps.now();
  const before = cursor === undefined ? (end ?? new Date(now.getTime() + 1)) : readTime(cursor);
  const since = new Date(floorToDay(now).getTime() - RETENTION_DAYS * 86_400_000);
  return deps.database.transaction({ organizationId }, async (tx) => {
    const monitor = await findMonitor(tx, organizationId, monitorId);
    if (!monitor) throw notFound('monitor');
    const found = await findRoundTimes(tx, monitorId, { since, before, limit: limit + 1 });
    const times = found.slice(0, limit);
    const seen = await findResults(tx, monitorId, times);
    const scripts =
      monitor.checkType === 'synthetic' ? await findScriptRuns(tx, monitorId, times, oldestScreenshot(now)) : [];
    const results = withScripts(seen, scripts);
    // Heartbeat monitors are not checked from regions.
    const regions = monitor.checkType === 'heartbeat' ? [] : deps.regions;
    const runs = runsOf(times, results, { monitorId, timeoutMs: monitor.timeoutMs, regions, now });
    return { runs, nextCursor: times.length < found.length ? writeTime(times.at(-1)) : undefined };
  });
}

/** Returns the results, with the script run of each result that has one. */
function withScripts(
  results: readonly CheckResult[],
  scripts: Awaited<ReturnType<typeof findScriptRuns>>,
): CheckResult[] {
  const key = ({ roundAt, region }: { roundAt: Date; region: string }) => `${roundAt.getTime()} ${region}`;
  const known = new Map(
    scripts.map(({ steps, log, location, hasScreenshot, ...of }) => [key(of), { steps, log, location, hasScreenshot }]),
  );
  return results.map((result) => ({ ...result, script: known.get(key(result)) }));
}

function writeTime(time: Date | undefined): string | undefined {
  return time && Buffer.from(time.getTime().toString(36)).toString('base64url');
}

function readTime(cursor: string): Date {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^[0-9a-z]{1,9}$/.test(text)) throw invalid({ cursor: ['is not from the link to a next page'] });
  return new Date(Number.parseInt(text, 36));
}
