import { unreachable } from '@tocsin/errors';
import { spellDuration } from '@tocsin/text';
import { type DisruptionStatus, MAX_TITLE } from './disruption.ts';
import type { AutoDisabled, DownEnded, WentDown } from './monitor-event.ts';

/** Returns "<name> is down", with the name shortened so that the title has at most 255 characters. */
export function titleOf(monitorName: string): string {
  const verdict = ' is down';
  const name = [...monitorName];
  const room = MAX_TITLE - verdict.length;
  return (name.length <= room ? monitorName : `${name.slice(0, room - 1).join('')}…`) + verdict;
}

/** Returns the text of an automatic disruption's first entry. */
export function describeStart({ monitor }: Pick<WentDown, 'monitor'>): string {
  return `${monitor.name} is not working as expected. We are investigating.`;
}

/** Returns the text of an automatic disruption's last entry. */
export function describeEnd(
  { kind, monitor: { name } }: Pick<DownEnded | WentDown, 'kind' | 'monitor'>,
  lastedMs: number,
): string {
  const lasted = spellDuration(lastedMs);
  switch (kind) {
    case 'recovered':
      return `${name} works again. It was down for ${lasted}.`;
    case 'went_down':
      return `${name} went down again, so this was closed after ${lasted}.`;
    case 'disabled':
      return `${name} is not being checked at the moment, so this was closed after ${lasted}.`;
    case 'deleted':
      return `${name} is no longer checked, so this was closed after ${lasted}.`;
    default:
      return unreachable(kind);
  }
}

const PAUSED_BECAUSE: Record<AutoDisabled['reason'], string> = {
  down_too_long: 'after 48 hours',
  too_many_disruptions: 'after too many disruptions within 24 hours',
};

/** Returns the text of the entry about a monitor that the system disabled. */
export function describeAutoDisable({ reason }: AutoDisabled): string {
  return `Automatic checks were paused ${PAUSED_BECAUSE[reason]}; this is updated by hand.`;
}

/** Default texts of timeline entries for each status. */
export const DEFAULT_MESSAGES: Readonly<Record<DisruptionStatus, string>> = {
  investigating: 'We are looking into it.',
  identified: 'We know the cause and are working on it.',
  monitoring: 'A fix is in place, and we are watching it.',
  resolved: 'This is resolved.',
  scheduled: 'Maintenance is planned.',
  in_progress: 'Maintenance has begun.',
  completed: 'Maintenance is complete.',
};
