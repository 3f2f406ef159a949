import type { Transaction } from '@tocsin/database';
import { unlinkChannel as removeLinks } from '../../storage/monitors/monitor-store.ts';

/** A channel is gone: no monitor of its organization names it any more. */
export async function unlinkChannel(tx: Transaction, organizationId: string, channelId: string): Promise<void> {
  await removeLinks(tx, organizationId, channelId);
}
