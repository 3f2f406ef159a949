import type { CheckType } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { MonitorSettings } from './monitor.ts';

const MINUTES = { confirmDownMinutes: 'confirm_down_minutes', confirmUpMinutes: 'confirm_up_minutes' } as const;
const ROUNDS = { confirmDownAfter: 'confirm_down_after', confirmUpAfter: 'confirm_up_after' } as const;

/**
 * Adds an error for each confirmation setting in a request that does not apply to the check type (spec: Resources,
 * Monitor).
 */
export function checkConfirmPair(
  checkType: CheckType,
  sent: Partial<MonitorSettings>,
  errors: FieldErrorCollector,
): void {
  const isSynthetic = checkType === 'synthetic';
  const [wrong, right] = isSynthetic ? [MINUTES, ROUNDS] : [ROUNDS, MINUTES];
  const advice = `does not apply to ${checkType} monitors: use ${Object.values(right).join(' and ')}`;
  for (const [property, field] of Object.entries(wrong)) {
    if (sent[property as keyof MonitorSettings] !== undefined) errors.add(field, advice);
  }
}
