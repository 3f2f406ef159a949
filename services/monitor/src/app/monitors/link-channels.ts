import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Deps } from '../ports.ts';

/**
 * The channels to link, each once, in the order given. Every id that is not a channel of the organization is named in `errors`.
 */
export async function checkChannelIds(
  deps: Deps,
  organizationId: string,
  ids: readonly string[],
  errors: FieldErrorCollector,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const existing = new Set(await deps.channels.existing(organizationId, ids.filter(isId)));
  const wanted = ids.map((id) => id.toLowerCase());
  for (const [index, id] of wanted.entries()) {
    if (!existing.has(id)) errors.add(`alert_channel_ids.${index}`, 'is not an alert channel of this organization');
  }
  return [...new Set(wanted)];
}
