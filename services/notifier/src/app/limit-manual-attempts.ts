import type { Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import {
  MAX_MANUAL_ATTEMPTS_PER_ORGANIZATION_HOUR,
  MAX_MANUAL_ATTEMPTS_PER_RECIPIENT_HOUR,
} from '../domain/manual-attempts.ts';
import { countManualAttempt } from '../storage/manual-attempt-store.ts';
import { HOUR_MS, hourOf } from './mail-recipients.ts';

/**
 * Counts a test or a redelivery to a channel or subscription. A failed attempt counts, too, because it is stored like a
 * successful one.
 * @throws ServiceError `rate_limited` if an hourly limit is reached, with the time at which the next hour begins.
 */
export async function limitManualAttempts(
  tx: Transaction,
  { organizationId, id, kind }: { organizationId: string; id: string; kind: 'alert channel' | 'webhook' },
  now: Date,
): Promise<void> {
  const hour = hourOf(now);
  const limits = [
    { counted: id, limit: MAX_MANUAL_ATTEMPTS_PER_RECIPIENT_HOUR, who: `this ${kind}` },
    { counted: organizationId, limit: MAX_MANUAL_ATTEMPTS_PER_ORGANIZATION_HOUR, who: 'the organization' },
  ];
  for (const { counted, limit, who } of limits) {
    if (await countManualAttempt(tx, organizationId, { counted, hour, limit })) continue;
    const next = new Date(hour.getTime() + HOUR_MS);
    throw new ServiceError(
      'rate_limited',
      `at most ${limit} tests and redeliveries an hour for ${who}; try again at ${next.toISOString().slice(11, 16)} UTC`,
      { retryAfterSeconds: Math.ceil((next.getTime() - now.getTime()) / 1000) },
    );
  }
}
