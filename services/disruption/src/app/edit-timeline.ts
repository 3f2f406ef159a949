import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import type { Disruption } from '../domain/disruption.ts';
import { editUpdate as withEdited, deleteUpdate as withoutUpdate } from '../domain/edit-timeline.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { lockDisruption, removeUpdate, saveDisruption, saveUpdate } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

export interface UpdateKey {
  readonly organizationId: string;
  readonly id: string;
  readonly updateId: string;
}

/**
 * Changes the text of a timeline entry.
 * @throws ServiceError `not_found` if the disruption or the entry does not exist, or `invalid` if the text is invalid.
 */
export async function editUpdate(
  deps: Deps,
  { message, silent, ...key }: UpdateKey & { readonly message: string; readonly silent: boolean },
): Promise<Disruption> {
  const change = (before: Disruption, now: Date) => withEdited(before, key.updateId, message, now);
  return changeTimeline(deps, key, { change, silent }, async (tx, after) => {
    const edited = after.updates.find(({ id }) => id === key.updateId.toLowerCase());
    if (edited) await saveUpdate(tx, after, edited);
  });
}

/**
 * Deletes a timeline entry. Sends no notification.
 * @throws ServiceError `not_found` if the disruption or the entry does not exist, or `conflict` if the entry is the
 * only one.
 */
export async function deleteUpdate(deps: Deps, key: UpdateKey): Promise<void> {
  const change = (before: Disruption, now: Date) => withoutUpdate(before, key.updateId, now);
  await changeTimeline(deps, key, { change, silent: true }, (tx, after) => removeUpdate(tx, after, key.updateId));
}

interface Change {
  readonly change: (before: Disruption, now: Date) => Disruption;
  readonly silent: boolean;
}

function changeTimeline(
  { database, now }: Deps,
  { organizationId, id }: UpdateKey,
  { change, silent }: Change,
  save: (tx: Transaction, after: Disruption) => Promise<void>,
): Promise<Disruption> {
  if (!isId(id)) throw notFound('disruption');
  return database.transaction({ organizationId }, async (tx) => {
    const before = await lockDisruption(tx, organizationId, id);
    if (!before) throw notFound('disruption');
    const at = now();
    const after = change(before, at);
    if (after === before) return before;
    await save(tx, after);
    await saveDisruption(tx, after);
    await appendEvents(tx, [disruptionChanged(before, after, silent)], at);
    return after;
  });
}
