import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { checkChannelCount } from '../../domain/monitors/limits.ts';
import type { Deps } from '../ports.ts';

/**
 * Returns the channels to link, each once, in the order given. Adds an error for every id that is not a channel of the
 * organization, and for too many of them.
 */
export async function checkChannelIds(
  deps: Deps,
  organizationId: string,
  ids: readonly string[],
  errors: FieldErrorCollector,
): Promise<string[]> {
  if (ids.length === 0 || !checkChannelCount(ids, errors)) return [];
  const existing = new Set(await deps.channels.existing(organizationId, ids.filter(isId)));
  const wanted = ids.map((id) => id.toLowerCase());
  for (const [index, id] of wanted.entries()) {
    if (!existing.has(id)) errors.add(`alert_channel_ids.${index}`, 'is not an alert channel of this organization');
  }
  return [...new Set(wanted)];
}
