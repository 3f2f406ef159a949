import type { MessageInitShape } from '@bufbuild/protobuf';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import type { AffectedComponent } from '../domain/component.ts';
import { type Disruption, type DisruptionUpdate, isOpen } from '../domain/disruption.ts';
import { timelineEdits } from '../domain/edit-timeline.ts';
import { disruptionToProto, updateToProto } from '../wire/disruption.ts';

/**
 * Maximum total size of the timeline entries in an event, in bytes of text. If the entries exceed this size, the oldest
 * are omitted. Consumers have already stored these entries from earlier events.
 */
const MAX_TIMELINE_BYTES = 96 * 1024;

/** Maximum size in bytes of all component names in an event. */
const MAX_NAMES_BYTES = 64 * 1024;

export function disruptionCreated(disruption: Disruption, silent = false): OutgoingEvent {
  return eventOf(DisruptionCreatedSchema, disruption, { silent });
}

/**
 * Returns the event for a change: a resolution if the change ended the disruption, otherwise an update. If `silent` is
 * true, no notification is sent.
 */
export function disruptionChanged(before: Disruption, after: Disruption, silent = false): OutgoingEvent {
  if (isOpen(before) && !isOpen(after)) return eventOf(DisruptionResolvedSchema, after, { silent });
  const { deletedIds, edited } = timelineEdits(before, after);
  const edits = { deletedUpdateIds: [...deletedIds], editedUpdates: edited.map(updateToProto) };
  return eventOf(DisruptionUpdatedSchema, after, { silent, ...edits });
}

/** Returns the event for a deletion. `disruption` is the version before the deletion. */
export function disruptionDeleted(disruption: Disruption): OutgoingEvent {
  return eventOf(DisruptionDeletedSchema, disruption);
}

type EventSchema =
  | typeof DisruptionCreatedSchema
  | typeof DisruptionUpdatedSchema
  | typeof DisruptionResolvedSchema
  | typeof DisruptionDeletedSchema;

function eventOf(
  schema: EventSchema,
  disruption: Disruption,
  more: Omit<MessageInitShape<typeof DisruptionUpdatedSchema>, '$typeName' | '$unknown' | 'disruption'> = {},
): OutgoingEvent {
  const { id, organizationId } = disruption;
  const bounded = {
    ...disruption,
    updates: newestUpdates(disruption.updates),
    affectedComponents: withBoundedNames(disruption.affectedComponents),
  };
  return outgoingEvent<EventSchema>(
    schema,
    { disruption: disruptionToProto(bounded), ...more },
    { organizationId, aggregateId: id },
  );
}

/** Returns as many of the newest entries as fit within MAX_TIMELINE_BYTES, but at least one. */
function newestUpdates(updates: readonly DisruptionUpdate[]): readonly DisruptionUpdate[] {
  let bytes = 0;
  const end = updates.findIndex(({ body, explanation = '' }) => {
    bytes += Buffer.byteLength(body) + Buffer.byteLength(explanation);
    return bytes > MAX_TIMELINE_BYTES;
  });
  return end === -1 ? updates : updates.slice(0, Math.max(1, end));
}

/**
 * Returns all components. If needed, their names are shortened to MAX_NAMES_BYTES in total, so that every component
 * fits into the event.
 */
function withBoundedNames(components: readonly AffectedComponent[]): readonly AffectedComponent[] {
  const bytes = components.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0);
  if (bytes <= MAX_NAMES_BYTES) return components;
  // A character takes at most four bytes.
  const characters = Math.floor(MAX_NAMES_BYTES / components.length / 4);
  return components.map((component) => ({ ...component, name: [...component.name].slice(0, characters).join('') }));
}
