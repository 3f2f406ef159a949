import { query } from './database.ts';

/**
 * Tolerance for the start times of check rounds. An upgrade may shift the rounds of a monitor by less than a second.
 */
const TOLERANCE_MS = 1_000;

/**
 * Returns how many check rounds of these monitors have results, and lists the rounds that have none, from one interval
 * before `from` until `to`.
 */
export async function checksBetween(
  namespace: string,
  { monitors, intervalSeconds }: { monitors: readonly string[]; intervalSeconds: number },
  from: Date,
  to: Date,
): Promise<{ results: number; lost: string[] }> {
  const intervalMs = intervalSeconds * 1000;
  const rows = await query(
    namespace,
    `select monitor_id, array_agg(distinct round_at order by round_at) as rounds
       from monitor.check_result where monitor_id = any($1) and round_at > $2 and round_at <= $3 group by monitor_id`,
    [monitors, new Date(from.getTime() - intervalMs), to],
  );
  const rounds = new Map<string, Date[]>(rows.map((row) => [row.monitor_id, row.rounds]));
  const lost = monitors.flatMap((id) => {
    // The first round starts when a monitor is created. Later rounds start at regular times that do not depend on the
    // time of the first round.
    const times = (rounds.get(id) ?? []).map((time) => time.getTime());
    if (times.length === 0) return [`${id}: all checks`];
    const missing: string[] = [];
    for (const [index, time] of times.entries()) {
      const end = times[index + 1] ?? to.getTime();
      for (let due = time + intervalMs; due < end - TOLERANCE_MS; due += intervalMs) {
        missing.push(`${id}: ${new Date(due).toISOString()}`);
      }
    }
    return missing;
  });
  return { lost, results: [...rounds.values()].reduce((sum, times) => sum + times.length, 0) };
}
