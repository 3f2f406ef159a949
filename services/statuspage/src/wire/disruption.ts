import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type Disruption as DisruptionMessage,
  DisruptionImpact as Impact,
  DisruptionStatus as Status,
  DisruptionType as Type,
} from '@tocsin/proto/disruption/v1/disruption';
import type { Disruption, DisruptionImpact, DisruptionStatus, DisruptionType } from '../domain/disruption.ts';
import { statusFromProto } from './page.ts';

const TYPES = new Map<Type, DisruptionType>([
  [Type.DISRUPTION, 'disruption'],
  [Type.MAINTENANCE, 'maintenance'],
]);

const STATUSES = new Map<Status, DisruptionStatus>([
  [Status.INVESTIGATING, 'investigating'],
  [Status.IDENTIFIED, 'identified'],
  [Status.MONITORING, 'monitoring'],
  [Status.RESOLVED, 'resolved'],
  [Status.SCHEDULED, 'scheduled'],
  [Status.IN_PROGRESS, 'in_progress'],
  [Status.COMPLETED, 'completed'],
]);

const IMPACTS = new Map<Impact, DisruptionImpact>([
  [Impact.MINOR, 'minor'],
  [Impact.MAJOR, 'major'],
  [Impact.CRITICAL, 'critical'],
]);

/** @throws Error for a message that says less than a disruption must, which makes the fact a dead letter. */
export function disruptionFromProto(message: DisruptionMessage, organizationId: string): Disruption {
  return {
    id: message.id,
    organizationId,
    title: message.title,
    type: known(TYPES, message.type, 'type'),
    status: known(STATUSES, message.status, 'status'),
    impact: known(IMPACTS, message.impact, 'impact'),
    autoCreated: message.autoCreated,
    startedAt: dateOf(message.startedAt, 'started_at'),
    endsAt: message.endsAt && timestampDate(message.endsAt),
    resolvedAt: message.resolvedAt && timestampDate(message.resolvedAt),
    updates: message.updates.map((update) => ({
      id: update.id,
      status: known(STATUSES, update.status, 'update status'),
      // Facts from before there was one have only the whole text.
      body: update.publicBody || update.body,
      postedAt: dateOf(update.postedAt, 'posted_at'),
    })),
    components: message.affectedComponents.map(({ id, name, status, statusPageId }) => ({
      id,
      name,
      status: statusFromProto(status),
      statusPageId,
    })),
    // Facts from before pages were named apart say them with the components only.
    statusPageIds: [
      ...new Set([...message.statusPageIds, ...message.affectedComponents.map(({ statusPageId }) => statusPageId)]),
    ],
    createdAt: dateOf(message.createdAt, 'created_at'),
    updatedAt: dateOf(message.updatedAt, 'updated_at'),
  };
}

function known<Key, Value>(words: ReadonlyMap<Key, Value>, key: Key, what: string): Value {
  const word = words.get(key);
  if (word === undefined) throw new Error(`the disruption has an unknown ${what}: ${String(key)}`);
  return word;
}

function dateOf(timestamp: Timestamp | undefined, what: string): Date {
  if (!timestamp) throw new Error(`the disruption has no ${what}`);
  return timestampDate(timestamp);
}
