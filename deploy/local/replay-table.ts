import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ReplayDifference, ReplayMonitorResponse } from '@tocsin/proto/monitor/v1/admin';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';

/** Limitations of a replay, printed below its result. */
const CAVEATS = `Settings and regions of the past are not stored: all of it is evaluated with the windows and regions of today. A result that came too late then
counts as if it had come in time.`;

const WORDS = new Map<MonitorState, string>([
  [MonitorState.PENDING, 'pending'],
  [MonitorState.UP, 'up'],
  [MonitorState.DOWN, 'down'],
  [MonitorState.STALE, 'stale'],
]);

const HEAD = ['at (UTC)', 'then', 'today', 'why'];

/** Describes the result of a replay as text with a table. */
export function describeReplay({ from, rounds, transitions, differences }: ReplayMonitorResponse): string {
  const since = from ? wordOf(timestampDate(from)) : 'the beginning';
  const fed = `${rounds} rounds since ${since}, with ${transitions} changes of state. `;
  if (differences.length === 0) return `${fed}Today's rules would have decided the same.\n\n${CAVEATS}\n`;
  const table = [HEAD, ...differences.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const times = differences.length === 1 ? 'once' : `${differences.length} times`;
  return `${fed}Today's rules would have decided otherwise ${times}:\n\n${lines.join('\n')}\n\n${CAVEATS}\n`;
}

function rowOf({ at, stateThen, stateToday, explanation }: ReplayDifference): string[] {
  return [at ? wordOf(timestampDate(at)) : '', stateOf(stateThen), stateOf(stateToday), explanation];
}

function stateOf(state: MonitorState): string {
  return WORDS.get(state) ?? '-';
}

function wordOf(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}
