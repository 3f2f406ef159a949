import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  automaticTexts,
  componentStatuses,
  disruptionImpacts,
  disruptionStatuses,
  disruptionTypes,
  type EnumTable,
} from '@tocsin/enums';
import type {
  Disruption as DisruptionMessage,
  DisruptionUpdate as UpdateMessage,
} from '@tocsin/proto/disruption/v1/disruption';
import type { Disruption, DisruptionUpdate } from '../domain/disruption.ts';

/**
 * Converts a disruption.
 * @throws Error for an incomplete message, which makes the event a dead letter.
 */
export function disruptionFromProto(message: DisruptionMessage, organizationId: string): Disruption {
  return {
    id: message.id,
    organizationId,
    title: message.title,
    automaticTitle: message.automaticTitle,
    type: known(disruptionTypes, message.type, 'type'),
    status: known(disruptionStatuses, message.status, 'status'),
    impact: known(disruptionImpacts, message.impact, 'impact'),
    autoCreated: message.autoCreated,
    startedAt: dateOf(message.startedAt, 'started_at'),
    endsAt: message.endsAt && timestampDate(message.endsAt),
    resolvedAt: message.resolvedAt && timestampDate(message.resolvedAt),
    updates: message.updates.map(updateFromProto),
    components: message.affectedComponents.map(({ id, name, status, openStatus, statusPageId }) => ({
      id,
      name,
      // Events of older versions do not contain `openStatus`, so `status` is used. In events about an ended disruption,
      // it is the status after the end.
      status: known(componentStatuses, openStatus || status, 'component status'),
      statusPageId,
    })),
    // Events of older versions name the pages only in the affected components.
    statusPageIds: [
      ...new Set([...message.statusPageIds, ...message.affectedComponents.map(({ statusPageId }) => statusPageId)]),
    ],
    createdAt: dateOf(message.createdAt, 'created_at'),
    updatedAt: dateOf(message.updatedAt, 'updated_at'),
  };
}

/**
 * Converts a timeline entry.
 * @throws Error for an incomplete message, which makes the event a dead letter.
 */
export function updateFromProto(update: UpdateMessage): DisruptionUpdate {
  return {
    id: update.id,
    status: known(disruptionStatuses, update.status, 'update status'),
    // Events of older versions contain the text for visitors in `publicBody`.
    body: update.publicBody || update.body,
    automatic: update.automatic,
    automaticText: automaticTexts.findName(update.automaticText),
    postedAt: dateOf(update.postedAt, 'posted_at'),
    editedAt: update.editedAt && timestampDate(update.editedAt),
    silent: update.silent,
  };
}

function known<Name extends string>(table: EnumTable<Name, number>, value: number, what: string): Name {
  const name = table.findName(value);
  if (name === undefined) throw new Error(`the disruption has an unknown ${what}: ${value}`);
  return name;
}

function dateOf(timestamp: Timestamp | undefined, what: string): Date {
  if (!timestamp) throw new Error(`the disruption has no ${what}`);
  return timestampDate(timestamp);
}
