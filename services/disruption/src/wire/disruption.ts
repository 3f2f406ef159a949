import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type ComponentsInput,
  type CreateDisruptionRequest,
  DisruptionImpact,
  type DisruptionSchema,
  DisruptionStatus as DisruptionStatusEnum,
  DisruptionType as DisruptionTypeEnum,
  type ListDisruptionsRequest,
  type UpdateDisruptionRequest,
} from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus as ComponentStatusEnum } from '@tocsin/proto/statuspage/v1/component_status';
import type { ComponentStatus } from '../domain/component.ts';
import {
  componentsNow,
  type Disruption,
  type DisruptionStatus,
  type DisruptionType,
  type DisruptionUpdate,
  type Impact,
} from '../domain/disruption.ts';
import type { NewDisruption } from '../domain/new-disruption.ts';
import type { WantedPublication } from '../domain/publication.ts';
import { forVisitors } from '../domain/words.ts';

const TYPE: Record<DisruptionType, DisruptionTypeEnum> = {
  disruption: DisruptionTypeEnum.DISRUPTION,
  maintenance: DisruptionTypeEnum.MAINTENANCE,
};

const STATUS: Record<DisruptionStatus, DisruptionStatusEnum> = {
  investigating: DisruptionStatusEnum.INVESTIGATING,
  identified: DisruptionStatusEnum.IDENTIFIED,
  monitoring: DisruptionStatusEnum.MONITORING,
  resolved: DisruptionStatusEnum.RESOLVED,
  scheduled: DisruptionStatusEnum.SCHEDULED,
  in_progress: DisruptionStatusEnum.IN_PROGRESS,
  completed: DisruptionStatusEnum.COMPLETED,
};

const IMPACT: Record<Impact, DisruptionImpact> = {
  minor: DisruptionImpact.MINOR,
  major: DisruptionImpact.MAJOR,
  critical: DisruptionImpact.CRITICAL,
};

const COMPONENT_STATUS: Record<ComponentStatus, ComponentStatusEnum> = {
  operational: ComponentStatusEnum.OPERATIONAL,
  degraded_performance: ComponentStatusEnum.DEGRADED_PERFORMANCE,
  partial_outage: ComponentStatusEnum.PARTIAL_OUTAGE,
  major_outage: ComponentStatusEnum.MAJOR_OUTAGE,
  under_maintenance: ComponentStatusEnum.UNDER_MAINTENANCE,
};

/** Undefined for a value that this version does not know. */
export function componentStatusFromProto(value: ComponentStatusEnum): ComponentStatus | undefined {
  return wordOf(COMPONENT_STATUS, value);
}

function wordOf<Word extends string, Value>(words: Record<Word, Value>, value: Value): Word | undefined {
  return (Object.keys(words) as Word[]).find((word) => words[word] === value);
}

export function disruptionToProto(disruption: Disruption): MessageInitShape<typeof DisruptionSchema> {
  const { origin, endsAt, resolvedAt } = disruption;
  return {
    id: disruption.id,
    organizationId: disruption.organizationId,
    title: disruption.title,
    type: TYPE[disruption.type],
    status: STATUS[disruption.status],
    impact: IMPACT[disruption.impact],
    autoCreated: origin.kind === 'monitor',
    monitorId: origin.kind === 'monitor' ? origin.monitorId : '',
    startedAt: timestampFromDate(disruption.startedAt),
    ...(resolvedAt && { resolvedAt: timestampFromDate(resolvedAt) }),
    updates: disruption.updates.map(updateToProto),
    affectedComponents: componentsNow(disruption).map((component) => ({
      ...component,
      status: COMPONENT_STATUS[component.status],
    })),
    createdAt: timestampFromDate(disruption.createdAt),
    updatedAt: timestampFromDate(disruption.updatedAt),
    ...(endsAt && { endsAt: timestampFromDate(endsAt) }),
    statusPageIds: [...disruption.statusPageIds],
  };
}

function updateToProto({ id, status, body, postedAt, postedBy }: DisruptionUpdate) {
  const publicBody = forVisitors(body);
  return {
    ...{ id, body, postedBy },
    status: STATUS[status],
    postedAt: timestampFromDate(postedAt),
    ...(publicBody !== body && { publicBody }),
  };
}

export function newFromProto(request: CreateDisruptionRequest): NewDisruption {
  const { title, startedAt, endsAt, message = '' } = request;
  return {
    title,
    type: wordOf(TYPE, request.type) ?? 'disruption',
    impact: wordOf(IMPACT, request.impact) ?? 'major',
    startedAt: startedAt && timestampDate(startedAt),
    endsAt: endsAt && timestampDate(endsAt),
    message,
  };
}

export function changesFromProto({ title, message, startedAt, endsAt, ...request }: UpdateDisruptionRequest) {
  return {
    title,
    type: wordOf(TYPE, request.type),
    impact: wordOf(IMPACT, request.impact),
    status: wordOf(STATUS, request.status),
    message,
    startedAt: startedAt && timestampDate(startedAt),
    endsAt: endsAt && { value: endsAt.value && timestampDate(endsAt.value) },
  };
}

export function publicationFromProto(request: {
  statusPageId?: string | undefined;
  components?: ComponentsInput | undefined;
}): WantedPublication {
  return {
    statusPageId: request.statusPageId,
    components: request.components?.components.map(({ id, status }) => ({
      id,
      status: componentStatusFromProto(status),
    })),
  };
}

export function filterFromProto({ status, type, autoCreated }: ListDisruptionsRequest) {
  return { status: wordOf(STATUS, status), type: wordOf(TYPE, type), autoCreated };
}
