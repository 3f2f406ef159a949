import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  DisruptionImpact,
  type DisruptionSchema,
  DisruptionStatus as DisruptionStatusEnum,
  DisruptionType as DisruptionTypeEnum,
} from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus as ComponentStatusEnum } from '@tocsin/proto/statuspage/v1/component_status';
import { COMPONENT_STATUSES, type ComponentStatus } from '../domain/component.ts';
import type { Disruption, DisruptionStatus, DisruptionType, Impact } from '../domain/disruption.ts';

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
  return COMPONENT_STATUSES.find((status) => COMPONENT_STATUS[status] === value);
}

export function disruptionToProto(disruption: Disruption): MessageInitShape<typeof DisruptionSchema> {
  const { origin, resolvedAt } = disruption;
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
    updates: disruption.updates.map(({ id, status, body, postedAt, postedBy }) => ({
      id,
      status: STATUS[status],
      body,
      postedAt: timestampFromDate(postedAt),
      postedBy,
    })),
    affectedComponents: disruption.affectedComponents.map((component) => ({
      ...component,
      status: COMPONENT_STATUS[component.status],
    })),
    createdAt: timestampFromDate(disruption.createdAt),
    updatedAt: timestampFromDate(disruption.updatedAt),
  };
}
