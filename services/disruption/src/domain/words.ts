import { unreachable } from '@tocsin/errors';
import type { DownEnded, WentDown } from './follow-monitor.ts';

const MAX_TITLE = 255;

/** "<name> is down", at most 255 characters: a name that is too long is cut, the verdict never. */
export function titleOf(monitorName: string): string {
  const verdict = ' is down';
  const name = [...monitorName];
  const room = MAX_TITLE - verdict.length;
  return (name.length <= room ? monitorName : `${name.slice(0, room - 1).join('')}…`) + verdict;
}

/** What visitors read first. */
export function describeStart({ monitor, explanation }: WentDown): string {
  const sentence = `${monitor.name} does not work as it should. We are looking into it.`;
  return explanation === '' ? sentence : `${sentence}\n\nWhat was seen: ${explanation}`;
}

/** What visitors read last. */
export function describeEnd({ kind, monitor: { name } }: DownEnded, lastedMs: number): string {
  const lasted = spell(lastedMs);
  switch (kind) {
    case 'recovered':
      return `${name} works again. It was down for ${lasted}.`;
    case 'started_over':
      return `${name} is being checked afresh, so this was closed after ${lasted}.`;
    case 'disabled':
      return `${name} is not being checked at the moment, so this was closed after ${lasted}.`;
    case 'deleted':
      return `${name} is no longer checked, so this was closed after ${lasted}.`;
    default:
      return unreachable(kind);
  }
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its two largest units: "45 s", "3 min", "2 h 5 min", "1 d 4 h". */
export function spell(milliseconds: number): string {
  let rest = Math.round(milliseconds / 1000);
  const first = UNITS.findIndex(([, seconds]) => rest >= seconds);
  if (first < 0) return '0 s';
  const parts = UNITS.slice(first, first + 2).map(([unit, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
