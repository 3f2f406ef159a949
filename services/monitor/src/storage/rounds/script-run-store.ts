import type { Transaction } from '@tocsin/database';
import type { CheckResult } from '../../domain/rounds/check-result.ts';
import type { ScriptRun, ScriptStep } from '../../domain/rounds/script-run.ts';
import type { Tables } from '../tables.ts';

/** Saves the script runs of results. Duplicates and script runs of deleted monitors have no effect. */
export function insertScriptRuns(tx: Transaction, results: readonly CheckResult[]): void {
  const runs = results.flatMap(({ script, ...result }) => (script ? [{ ...result, ...script }] : []));
  if (runs.length === 0) return;
  tx.send(
    `insert into script_run (monitor_id, organization_id, round_at, region, steps, log, failed_line, failed_column)
     select r.monitor_id, monitor.organization_id, r.round_at, r.region, r.steps,
       array(select jsonb_array_elements_text(r.log)), r.failed_line, r.failed_column
     from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::jsonb[], $5::jsonb[], $6::integer[], $7::integer[])
       as r(monitor_id, round_at, region, steps, log, failed_line, failed_column)
     join monitor on monitor.id = r.monitor_id on conflict do nothing`,
    [
      runs.map(({ monitorId }) => monitorId),
      runs.map(({ roundAt }) => roundAt),
      runs.map(({ region }) => region),
      runs.map(({ steps }) => JSON.stringify(steps)),
      runs.map(({ log }) => JSON.stringify(log)),
      runs.map(({ location }) => location?.line ?? null),
      runs.map(({ location }) => location?.column ?? null),
    ],
  );
}

interface RunRow
  extends Pick<Tables['script_run'], 'round_at' | 'region' | 'steps' | 'log' | 'failed_line' | 'failed_column'> {
  steps: ScriptStep[];
  has_screenshot: boolean;
}

/**
 * Returns the script runs of the given rounds of a monitor. `pictures` is the start of the retention period of
 * screenshots. Screenshots of rounds before `pictures` count as absent.
 */
export async function findScriptRuns(
  tx: Transaction,
  monitorId: string,
  rounds: readonly Date[],
  pictures: Date,
): Promise<(ScriptRun & { readonly roundAt: Date; readonly region: string })[]> {
  const rows = await tx.query<RunRow>(
    `select round_at, region, steps, log, failed_line, failed_column, exists (
       select from screenshot where screenshot.monitor_id = script_run.monitor_id
         and screenshot.round_at = script_run.round_at and screenshot.region = script_run.region and round_at >= $3
     ) as has_screenshot
     from script_run where monitor_id = $1 and round_at = any($2)`,
    [monitorId, rounds, pictures],
  );
  return rows.map(({ round_at, failed_line, failed_column, has_screenshot, ...row }) => ({
    ...row,
    roundAt: round_at,
    location: failed_line === null || failed_column === null ? undefined : { line: failed_line, column: failed_column },
    hasScreenshot: has_screenshot,
  }));
}

/** Screenshot of a script run, identified by monitor, round and region. */
export interface Screenshot {
  readonly monitorId: string;
  readonly roundAt: Date;
  readonly region: string;
  readonly image: Uint8Array;
}

/**
 * Saves a screenshot. Does nothing if the monitor, round and region already have one, or if the monitor was deleted.
 */
export async function insertScreenshot(
  tx: Transaction,
  { monitorId, roundAt, region, image }: Screenshot,
): Promise<void> {
  await tx.query(
    `insert into screenshot (monitor_id, organization_id, round_at, region, image)
     select id, organization_id, $2, $3, $4 from monitor where id = $1 on conflict do nothing`,
    [monitorId, roundAt, region, Buffer.from(image)],
  );
}

/**
 * Returns the screenshot of a round in a region. If the region is undefined, uses the alphabetically first region that
 * has a screenshot.
 */
export async function findScreenshot(
  tx: Transaction,
  { monitorId, roundAt, region }: Omit<Screenshot, 'image' | 'region'> & { readonly region: string | undefined },
): Promise<Uint8Array | undefined> {
  const [row] = await tx.query<Pick<Tables['screenshot'], 'image'>>(
    `select image from screenshot
     where monitor_id = $1 and round_at = $2 and ($3::text is null or region = $3) order by region limit 1`,
    [monitorId, roundAt, region ?? null],
  );
  return row?.image;
}
