import { checkTypes } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import type { MonitorSettings } from './monitor.ts';
import { validateConfig } from './validate-config.ts';

const BOUNDS = {
  intervalSeconds: ['interval_seconds', 30, 86_400],
  timeoutMs: ['timeout_ms', 1_000, 60_000],
  confirmDownMinutes: ['confirm_down_minutes', 0, 30],
  confirmUpMinutes: ['confirm_up_minutes', 0, 30],
  confirmDownAfter: ['confirm_down_after', 1, 10],
  confirmUpAfter: ['confirm_up_after', 1, 10],
} as const;

/** Names every wrong field of the contract in `errors`. */
export function validateMonitor(settings: MonitorSettings, errors: FieldErrorCollector): void {
  errors.add('name', problemOfLine(settings.name, 255));
  for (const [property, [field, min, max]] of Object.entries(BOUNDS)) {
    const value = settings[property as keyof typeof BOUNDS];
    if (!Number.isInteger(value) || value < min || value > max) errors.add(field, `must be between ${min} and ${max}`);
  }
  if (checkTypes.names.includes(settings.checkType)) validateConfig(settings, errors);
  else errors.add('check_type', `must be one of ${checkTypes.names.join(', ')}`);
}
