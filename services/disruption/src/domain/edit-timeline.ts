import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { isBlank, problemOfProse } from '@tocsin/text';
import { type Disruption, type DisruptionUpdate, MAX_MESSAGE } from './disruption.ts';
import { problemOfTimelineBytes } from './timeline-limits.ts';

/**
 * Returns the disruption with the text of a timeline entry replaced, or the same object if the entry already has this
 * text. An entry with a new text no longer counts as automatic.
 * @throws ServiceError `not_found` if the entry does not exist, or `invalid` if the text is blank or too long.
 */
export function editUpdate(disruption: Disruption, updateId: string, message: string, now: Date): Disruption {
  const update = updateOf(disruption, updateId);
  const others = disruption.updates.filter((other) => other !== update);
  const problem = isBlank(message)
    ? 'is required'
    : (problemOfProse(message, MAX_MESSAGE) ?? problemOfTimelineBytes(others, message));
  if (problem) throw invalid({ message: [problem] });
  if (update.body === message) return disruption;
  const edited = { ...update, body: message, automatic: false, automaticText: undefined, editedAt: now };
  const updates = disruption.updates.map((other) => (other === update ? edited : other));
  return { ...disruption, updates, updatedAt: now };
}

/**
 * Returns the disruption without a timeline entry. The status of the disruption does not change.
 * @throws ServiceError `not_found` if the entry does not exist, or `conflict` if the entry is the only one.
 */
export function deleteUpdate(disruption: Disruption, updateId: string, now: Date): Disruption {
  const update = updateOf(disruption, updateId);
  if (disruption.updates.length === 1) {
    throw new ServiceError('conflict', 'the timeline must keep one update: change its text, or delete the disruption');
  }
  return { ...disruption, updates: disruption.updates.filter((other) => other !== update), updatedAt: now };
}

/** Returns the ids of the entries that a change deleted, and the entries whose text it changed. */
export function timelineEdits(
  before: Disruption,
  after: Disruption,
): { readonly deletedIds: readonly string[]; readonly edited: readonly DisruptionUpdate[] } {
  const kept = new Map(after.updates.map((update) => [update.id, update]));
  const deletedIds = before.updates.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const edited = before.updates.flatMap((update) => {
    const now = kept.get(update.id);
    return now && now.editedAt?.getTime() !== update.editedAt?.getTime() ? [now] : [];
  });
  return { deletedIds, edited };
}

function updateOf({ updates }: Disruption, id: string): DisruptionUpdate {
  const update = updates.find((candidate) => candidate.id === id.toLowerCase());
  if (!update) throw notFound('update');
  return update;
}
