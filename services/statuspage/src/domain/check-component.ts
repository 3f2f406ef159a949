import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine, problemOfProse } from '@tocsin/text';
import { DOWN_STATUSES } from './component-status.ts';
import type { MonitorLink } from './tree.ts';

/** Settings of a component, without its position. */
export interface ComponentSettings {
  readonly name: string;
  readonly description: string | undefined;
  readonly monitors: readonly MonitorLink[];
  /** First day, in UTC, of the component's history. */
  readonly startDate: string | undefined;
}

export interface ComponentContext {
  /** Prefix of field names, such as `components.0.`. */
  readonly prefix: string;
  /** Returns whether an id is a monitor of the page's organization. */
  readonly isMonitor: (id: string) => boolean;
  /** Name before the change. An unchanged name is valid, even if it was saved under older rules. */
  readonly nameBefore: string | undefined;
}

/** Adds an error for each invalid setting. Absent settings are not checked. */
export function checkComponent(
  { name, description = '', monitors = [], startDate }: Partial<ComponentSettings>,
  { prefix, isMonitor, nameBefore }: ComponentContext,
  errors: FieldErrorCollector,
): void {
  if (name !== undefined && name !== nameBefore) errors.add(`${prefix}name`, problemOfLine(name, 255));
  errors.add(`${prefix}description`, problemOfProse(description, 1000));
  if (startDate !== undefined && !isDay(startDate)) {
    errors.add(`${prefix}start_date`, 'must be a date such as 2026-11-20');
  }
  const linked = new Set<string>();
  for (const [index, { monitorId, downStatus }] of monitors.entries()) {
    const field = `${prefix}monitors.${index}`;
    if (!isMonitor(monitorId)) errors.add(`${field}.monitor_id`, 'is not a monitor of this organization');
    else if (linked.has(monitorId)) errors.add(`${field}.monitor_id`, 'appears twice');
    linked.add(monitorId);
    if (!DOWN_STATUSES.includes(downStatus)) {
      errors.add(`${field}.down_status`, `must be one of ${DOWN_STATUSES.join(', ')}`);
    }
  }
}

/**
 * Returns whether a string is a day of the calendar, such as `2026-11-20`. Date would accept February 30 as March 2.
 */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
