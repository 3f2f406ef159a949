import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  DisruptionImpact,
  type DisruptionSchema,
  DisruptionStatus,
  DisruptionType,
} from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import type { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { v7 } from 'uuid';

type Fields = Partial<Omit<MessageInitShape<typeof DisruptionSchema>, '$typeName'>>;
type Edits = Pick<MessageInitShape<typeof DisruptionUpdatedSchema>, 'deletedUpdateIds' | 'editedUpdates'>;
interface Touched {
  readonly id: string;
  readonly name: string;
  readonly statusPageId: string;
  readonly status: ComponentStatus;
}

/**
 * Returns functions that create the events of one disruption. Each event contains the whole disruption at that time.
 */
export function aDisruption(organizationId: string, components: readonly Touched[], input: Fields = {}) {
  const id = v7();
  const began = timestampFromDate(new Date('2026-01-01T00:00:00Z'));
  const timeline = (status: DisruptionStatus, body: string) => [
    { id: v7(), status, body, postedAt: began, postedBy: 'jane@example.com' },
  ];
  const base = {
    id,
    organizationId,
    title: 'API is down',
    type: DisruptionType.DISRUPTION,
    status: DisruptionStatus.INVESTIGATING,
    impact: DisruptionImpact.MAJOR,
    startedAt: began,
    updates: timeline(DisruptionStatus.INVESTIGATING, 'We are looking into it.'),
    affectedComponents: [...components],
    createdAt: began,
    updatedAt: began,
    ...input,
  };
  const about = { organizationId, aggregateId: id };
  return {
    id,
    created: (): OutgoingEvent => outgoingEvent(DisruptionCreatedSchema, { disruption: base }, about),
    updated: (change: Fields, edits: Edits = {}): OutgoingEvent =>
      outgoingEvent(DisruptionUpdatedSchema, { ...edits, disruption: { ...base, ...change } }, about),
    resolved: (time: string): OutgoingEvent => {
      const end = { status: DisruptionStatus.RESOLVED, resolvedAt: timestampFromDate(new Date(time)) };
      return outgoingEvent(DisruptionResolvedSchema, { disruption: { ...base, ...end } }, about);
    },
    deleted: (): OutgoingEvent => outgoingEvent(DisruptionDeletedSchema, { disruption: base }, about),
  };
}
