import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { findChannel } from '../storage/channel-store.ts';
import type { Deps } from './ports.ts';

/** Adds an error if the fallback is not another channel of the same organization. */
export async function checkFallback(
  { database }: Deps,
  {
    organizationId,
    id,
    fallbackChannelId,
  }: { organizationId: string; id?: string; fallbackChannelId: string | null | undefined },
  errors: FieldErrorCollector,
): Promise<void> {
  if (fallbackChannelId === undefined || fallbackChannelId === null) return;
  const field = 'fallback_channel_id';
  if (fallbackChannelId === id) {
    errors.add(field, 'must be another channel than this one');
    return;
  }
  const found =
    isId(fallbackChannelId) &&
    (await database.transaction({ organizationId }, (tx) => findChannel(tx, organizationId, fallbackChannelId)));
  if (!found) errors.add(field, 'is not an alert channel of this organization');
}
