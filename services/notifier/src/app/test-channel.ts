import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { testAlert } from '../domain/alert.ts';
import { markHealthy } from '../domain/channel.ts';
import type { Delivery } from '../domain/delivery.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { findChannel, lockChannel, readSealedConfig } from '../storage/channel-store.ts';
import { breakChannel } from './break-channel.ts';
import { healChannel } from './heal-channel.ts';
import { limitManualAttempts } from './limit-manual-attempts.ts';
import type { Deps } from './ports.ts';
import { sendTest } from './send-test.ts';

/**
 * Sends a test alert immediately, even to a disabled channel, and records it as a delivery. A success makes a broken
 * channel healthy. As with any alert, a permanent error, such as a 404, marks an enabled channel as broken.
 * @throws ServiceError `not_found`, `rate_limited` after too many tests within an hour.
 */
export async function testChannel(
  deps: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Delivery> {
  if (!isId(id)) throw notFound('alert channel');
  const alert = testAlert({ id: v7(), organizationId, eventId: v7(), now: deps.now() });
  const to = await deps.database.transaction({ organizationId }, async (tx) => {
    const channel = await findChannel(tx, organizationId, id);
    if (!channel) throw notFound('alert channel');
    await limitManualAttempts(tx, { organizationId, id, kind: 'alert channel' }, alert.occurredAt);
    const { name, type, enabled, revision } = channel;
    const sealedConfig = await readSealedConfig(tx, organizationId, id);
    return {
      kind: 'channel',
      id,
      name,
      type,
      enabled,
      isBroken: false,
      revision,
      sealedConfig,
      reached: [],
      late: false,
      alert,
    } as const;
  });
  const test = { id: v7(), organizationId, dueAt: alert.occurredAt, to };
  return sendTest(deps, test, async (tx, outcome) => {
    const channel = await lockChannel(tx, organizationId, id);
    if (!channel) throw notFound('alert channel');
    if (outcome.kind === 'delivered' && channel.broken) {
      await healChannel(deps, tx, { broken: channel, healthy: markHealthy(channel, deps.now()), cause: 'delivered' });
    }
    if (outcome.kind === 'refused' && channel.enabled && channel.revision === to.revision) {
      await breakChannel(deps, tx, channel, outcome.error);
    }
    await insertAlert(tx, alert);
    return { alertId: alert.id, channelId: id };
  });
}
