import { CHANNEL_SETTINGS } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { isPager } from './incident.ts';
import { problemsOfQuietHours, type QuietHours } from './quiet-hours.ts';

/** Settings for how often and when messages are sent to a channel. */
export interface ChannelPolicy {
  /** Minutes between reminders while an outage continues; undefined means no reminders. */
  readonly reminderMinutes: number | undefined;
  readonly quietHours: QuietHours | undefined;
  /** Maximum number of messages per hour; undefined means the installation's default. */
  readonly maxMessagesPerHour: number | undefined;
}

export const DEFAULT_POLICY: ChannelPolicy = {
  reminderMinutes: undefined,
  quietHours: undefined,
  maxMessagesPerHour: undefined,
};

/** Changes to a policy. Absent fields stay unchanged. Null resets a field to its default. */
export type PolicyChanges = { readonly [Field in keyof ChannelPolicy]?: ChannelPolicy[Field] | null };

export function changePolicy(policy: ChannelPolicy, changes: PolicyChanges): ChannelPolicy {
  const pick = <Value>(change: Value | null | undefined, current: Value | undefined) =>
    change === undefined ? current : (change ?? undefined);
  return {
    reminderMinutes: pick(changes.reminderMinutes, policy.reminderMinutes),
    quietHours: pick(changes.quietHours, policy.quietHours),
    maxMessagesPerHour: pick(changes.maxMessagesPerHour, policy.maxMessagesPerHour),
  };
}

/** Whether two policies differ in their quiet hours or their message limit, which determine what is held back. */
export function holdsBackDifferently(before: ChannelPolicy, after: ChannelPolicy): boolean {
  const [one, other] = [before.quietHours, after.quietHours];
  return (
    before.maxMessagesPerHour !== after.maxMessagesPerHour ||
    one?.from !== other?.from ||
    one?.to !== other?.to ||
    one?.timeZone !== other?.timeZone
  );
}

/**
 * Adds an error for each invalid field of a policy. Quiet hours and a message limit are invalid for channels of on-call
 * services, such as PagerDuty.
 */
export function checkPolicy(type: string, changes: PolicyChanges, errors: FieldErrorCollector): void {
  const { reminderMinutes, quietHours, maxMessagesPerHour } = changes;
  checkRange('reminder_minutes', reminderMinutes, errors);
  checkRange('max_messages_per_hour', maxMessagesPerHour, errors);
  for (const [field, problem] of quietHours ? problemsOfQuietHours(quietHours) : []) {
    errors.add(`quiet_hours.${field}`, problem);
  }
  if (!isPager(type)) return;
  const problem = `does not apply to channels of type ${type}, which get every alert at once`;
  if (quietHours) errors.add('quiet_hours', problem);
  if (maxMessagesPerHour) errors.add('max_messages_per_hour', problem);
}

function checkRange(
  field: keyof typeof CHANNEL_SETTINGS,
  value: number | null | undefined,
  errors: FieldErrorCollector,
): void {
  if (value === undefined || value === null) return;
  const { minimum, maximum } = CHANNEL_SETTINGS[field];
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    errors.add(field, `must be between ${minimum} and ${maximum}`);
  }
}
