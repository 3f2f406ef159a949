import type { FieldErrorCollector } from '@tocsin/errors';
import type { Disruption } from './disruption.ts';

const EARLIEST = Date.UTC(1900, 0);
const LATEST = Date.UTC(3000, 0);

type Times = Pick<Disruption, 'type' | 'startedAt' | 'endsAt'>;

/** Returns the time of the next automatic step: the start of a scheduled maintenance, or the end of one in progress. */
export function nextTime({ type, status, startedAt, endsAt }: Times & Pick<Disruption, 'status'>): Date | undefined {
  if (type !== 'maintenance') return undefined;
  if (status === 'scheduled') return startedAt;
  return status === 'in_progress' ? endsAt : undefined;
}

/** Adds an error for each invalid time of a disruption. `sent` marks the times that the request sets. */
export function checkTimes(
  times: Times,
  sent: { readonly startedAt: boolean; readonly endsAt: boolean },
  problems: FieldErrorCollector,
): void {
  const start = sent.startedAt ? problemOf(times.startedAt) : undefined;
  const end = sent.endsAt ? problemOfEnd(times) : undefined;
  problems.add('started_at', start);
  problems.add('ends_at', end);
  const { startedAt, endsAt } = times;
  if (start || end || !endsAt || endsAt > startedAt) return;
  if (sent.endsAt) problems.add('ends_at', 'must be after started_at');
  else if (sent.startedAt) problems.add('started_at', 'must be before ends_at');
}

function problemOfEnd({ type, endsAt }: Times): string | undefined {
  if (!endsAt) return undefined;
  return type === 'maintenance' ? problemOf(endsAt) : 'is only possible for maintenance';
}

function problemOf(time: Date): string | undefined {
  const isSane = time.getTime() >= EARLIEST && time.getTime() < LATEST;
  return isSane ? undefined : 'must lie between the years 1900 and 2999';
}
