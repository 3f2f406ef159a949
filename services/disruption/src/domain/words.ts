import { unreachable } from '@tocsin/errors';
import { spellDuration } from '@tocsin/text';
import { type DisruptionStatus, MAX_TITLE } from './disruption.ts';
import type { DownEnded, WentDown } from './monitor-event.ts';

/** "<name> is down", at most 255 characters: a name that is too long is cut, the verdict never. */
export function titleOf(monitorName: string): string {
  const verdict = ' is down';
  const name = [...monitorName];
  const room = MAX_TITLE - verdict.length;
  return (name.length <= room ? monitorName : `${name.slice(0, room - 1).join('')}…`) + verdict;
}

const WHAT_WAS_SEEN = '\n\nWhat was seen: ';

/** The first entry of a disruption that a monitor opened: what visitors read, and below it what the checks saw. */
export function describeStart({ monitor, explanation }: Pick<WentDown, 'monitor' | 'explanation'>): string {
  const sentence = `${monitor.name} does not work as it should. We are looking into it.`;
  return explanation === '' ? sentence : `${sentence}${WHAT_WAS_SEEN}${explanation}`;
}

/**
 * What of an entry is for visitors: what the checks saw names addresses and answers that are nobody else's business.
 */
export function forVisitors(body: string): string {
  return body.split(WHAT_WAS_SEEN, 1)[0] ?? body;
}

/** What visitors read last. */
export function describeEnd({ kind, monitor: { name } }: DownEnded, lastedMs: number): string {
  const lasted = spellDuration(lastedMs);
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

/** What visitors read where nobody wrote anything. */
export const DEFAULT_MESSAGES: Readonly<Record<DisruptionStatus, string>> = {
  investigating: 'We are looking into it.',
  identified: 'We know the cause and are working on it.',
  monitoring: 'A fix is in place, and we are watching it.',
  resolved: 'This is resolved.',
  scheduled: 'Maintenance is planned.',
  in_progress: 'Maintenance has begun.',
  completed: 'Maintenance is complete.',
};
