import { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { CHECK_TYPES, type CheckType, type MonitorSettings } from './monitor.ts';
import { validateHttpConfig } from './validate-http-config.ts';

/** Types that this installation can run. */
const AVAILABLE: readonly CheckType[] = ['http'];

const BOUNDS = {
  intervalSeconds: ['interval_seconds', 30, 86_400],
  timeoutMs: ['timeout_ms', 1_000, 60_000],
  confirmDownMinutes: ['confirm_down_minutes', 0, 30],
  confirmUpMinutes: ['confirm_up_minutes', 0, 30],
  confirmDownAfter: ['confirm_down_after', 1, 10],
  confirmUpAfter: ['confirm_up_after', 1, 10],
} as const;

/** @throws ServiceError `invalid` that names every wrong field of the contract at once. */
export function validateMonitor(settings: MonitorSettings): void {
  const errors = new FieldErrorCollector();
  errors.add('name', problemOfLine(settings.name, 255));
  for (const [property, [field, min, max]] of Object.entries(BOUNDS)) {
    const value = settings[property as keyof typeof BOUNDS];
    if (!Number.isInteger(value) || value < min || value > max) errors.add(field, `must be between ${min} and ${max}`);
  }
  if (!CHECK_TYPES.includes(settings.checkType)) errors.add('check_type', `must be one of ${CHECK_TYPES.join(', ')}`);
  else if (!AVAILABLE.includes(settings.checkType)) {
    errors.add(
      'check_type',
      `${settings.checkType} checks can't be run by this version; available: ${AVAILABLE.join(', ')}`,
    );
  } else validateConfig(settings, errors);
  errors.throwIfAny();
}

function validateConfig({ configJson }: MonitorSettings, errors: FieldErrorCollector): void {
  const config: unknown = JSON.parse(configJson);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) errors.add('config', 'must be an object');
  else validateHttpConfig(config as Record<string, unknown>, errors);
}
