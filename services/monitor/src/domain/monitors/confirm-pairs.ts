import { type CheckType, hasSetting, MONITOR_SETTINGS, monitorSettingNames } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { MonitorSettings } from './monitor.ts';

/** Adds an error for each sent confirmation setting that does not apply to the check type. */
export function checkConfirmPair(
  checkType: CheckType,
  sent: Partial<MonitorSettings>,
  errors: FieldErrorCollector,
): void {
  const pair = monitorSettingNames.filter((name) => name.startsWith('confirm_') && hasSetting(checkType, name));
  const advice = `does not apply to ${checkType} monitors: use ${pair.join(' and ')}`;
  for (const name of monitorSettingNames) {
    if (!hasSetting(checkType, name) && sent[MONITOR_SETTINGS[name].property] !== undefined) errors.add(name, advice);
  }
}
