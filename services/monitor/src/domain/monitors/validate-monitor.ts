import { checkTypes, MONITOR_SETTINGS } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import type { MonitorSettings } from './monitor.ts';
import { validateConfig } from './validate-config.ts';

/**
 * Validates the settings of a monitor and adds an error for each invalid field. `before` are its settings before a
 * change: their name and headers stay valid, because they may have been saved under older rules.
 */
export function validateMonitor(
  settings: MonitorSettings,
  errors: FieldErrorCollector,
  before?: Pick<MonitorSettings, 'name' | 'configJson'>,
): void {
  if (settings.name !== before?.name) errors.add('name', problemOfLine(settings.name, 255));
  for (const [field, { property, minimum, maximum }] of Object.entries(MONITOR_SETTINGS)) {
    const value = settings[property];
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      errors.add(field, `must be between ${minimum} and ${maximum}`);
    }
  }
  if (checkTypes.names.includes(settings.checkType)) validateConfig(settings, errors, before);
  else errors.add('check_type', `must be one of ${checkTypes.names.join(', ')}`);
}
