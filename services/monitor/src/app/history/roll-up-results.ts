import { LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { floorToDay, floorToHour } from '../../domain/history/history-range.ts';
import {
  becomeRoller,
  type DueHour,
  findProgress,
  popDueHours,
  rollDay,
  rollHour,
  rollUpDueSql,
  saveRolledTo,
} from '../../storage/history/roll-up-store.ts';
import { sealHours } from '../../storage/rounds/result-store.ts';
import type { Deps } from '../ports.ts';

/**
 * Delay between the end of an hour and the count of its results, in milliseconds. Most of the results that arrive after
 * the end of the hour arrive during this delay.
 */
const SETTLE_MS = 2 * 60_000;

/** SQL expression for the time at which rollUpResults() has work. */
export const ROLL_UP_DUE = rollUpDueSql(SETTLE_MS);

const HOUR_MS = 3_600_000;
const DUE_LIMIT = 1_000;

/**
 * Counts the results of the next completed hour. If this hour is the last of a day, also counts the results of the day.
 * If no hour is left to count, recounts hours and days that received results after they were counted. Every count is
 * calculated from the stored results, so that crashes, repeated runs and duplicate results do not change it. Several
 * replicas may run this concurrently.
 */
export async function rollUpResults(deps: Deps): Promise<'again' | 'done'> {
  const target = floorToHour(new Date(deps.now().getTime() - SETTLE_MS));
  const { database } = deps;
  const progress = await database.transaction('every organization', findProgress);
  if (progress.sealedTo < target) {
    await database.transaction('every organization', (tx) => sealHours(tx, target));
  }
  const rollUp = async (tx: Transaction) => {
    if (!(await becomeRoller(tx))) return 'done';
    const { sealedTo, rolledTo } = await findProgress(tx);
    if (rolledTo < sealedTo) {
      await rollNextHour(tx, rolledTo);
      return 'again';
    }
    const due = await popDueHours(tx, rolledTo, DUE_LIMIT);
    await recount(tx, due, rolledTo);
    return due.length === DUE_LIMIT ? 'again' : 'done';
  };
  return database.transaction('every organization', rollUp, LONG_STATEMENTS);
}

async function rollNextHour(tx: Transaction, hour: Date): Promise<void> {
  await rollHour(tx, hour);
  const end = new Date(hour.getTime() + HOUR_MS);
  if (floorToDay(end).getTime() === end.getTime()) await rollDay(tx, floorToDay(hour));
  await saveRolledTo(tx, end);
}

async function recount(tx: Transaction, due: readonly DueHour[], rolledTo: Date): Promise<void> {
  for (const [hour, ids] of idsBy(due, (time) => time)) await rollHour(tx, new Date(hour), ids);
  for (const [day, ids] of idsBy(due, floorToDay)) {
    if (day < floorToDay(rolledTo).getTime()) await rollDay(tx, new Date(day), ids);
  }
}

function idsBy(due: readonly DueHour[], key: (hour: Date) => Date): Map<number, string[]> {
  const grouped = Map.groupBy(due, ({ hour }) => key(hour).getTime());
  return new Map([...grouped].map(([time, hours]) => [time, [...new Set(hours.map(({ monitorId }) => monitorId))]]));
}
