import { checkTypes, MONITOR_SETTINGS } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import type { MonitorSettings } from './monitor.ts';
import { validateConfig } from './validate-config.ts';

/** Numeric settings with their names in the API. */
const NUMBERS = {
  interval_seconds: 'intervalSeconds',
  timeout_ms: 'timeoutMs',
  confirm_down_minutes: 'confirmDownMinutes',
  confirm_up_minutes: 'confirmUpMinutes',
  confirm_down_after: 'confirmDownAfter',
  confirm_up_after: 'confirmUpAfter',
} as const satisfies Record<keyof typeof MONITOR_SETTINGS, keyof MonitorSettings>;

/** Validates the settings of a monitor and adds an error for each invalid field. */
export function validateMonitor(settings: MonitorSettings, errors: FieldErrorCollector): void {
  errors.add('name', problemOfLine(settings.name, 255));
  for (const [field, { minimum, maximum }] of Object.entries(MONITOR_SETTINGS)) {
    const value = settings[NUMBERS[field as keyof typeof NUMBERS]];
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      errors.add(field, `must be between ${minimum} and ${maximum}`);
    }
  }
  if (checkTypes.names.includes(settings.checkType)) validateConfig(settings, errors);
  else errors.add('check_type', `must be one of ${checkTypes.names.join(', ')}`);
}
