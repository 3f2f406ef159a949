import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  automaticTexts,
  componentStatuses,
  disruptionImpacts,
  disruptionStatuses,
  disruptionTypes,
} from '@tocsin/enums';
import type {
  ComponentsInput,
  CreateDisruptionRequest,
  DisruptionSchema,
  ListDisruptionsRequest,
  UpdateDisruptionRequest,
} from '@tocsin/proto/disruption/v1/disruption';
import { isBlank } from '@tocsin/text';
import { v7 } from 'uuid';
import { componentsNow, type Disruption, type DisruptionUpdate } from '../domain/disruption.ts';
import type { NewDisruption } from '../domain/new-disruption.ts';
import type { WantedPublication } from '../domain/publication.ts';

export function disruptionToProto(disruption: Disruption): MessageInitShape<typeof DisruptionSchema> {
  const { origin, endsAt, resolvedAt, acknowledgement } = disruption;
  return {
    id: disruption.id,
    organizationId: disruption.organizationId,
    title: disruption.title,
    automaticTitle: disruption.automaticTitle,
    type: disruptionTypes.toValue(disruption.type),
    status: disruptionStatuses.toValue(disruption.status),
    impact: disruptionImpacts.toValue(disruption.impact),
    autoCreated: origin.kind === 'monitor',
    monitorId: origin.kind === 'monitor' ? origin.monitorId : '',
    startedAt: timestampFromDate(disruption.startedAt),
    ...(resolvedAt && { resolvedAt: timestampFromDate(resolvedAt) }),
    updates: disruption.updates.map(updateToProto),
    affectedComponents: componentsNow(disruption).map((component, index) => ({
      ...component,
      status: componentStatuses.toValue(component.status),
      openStatus: componentStatuses.toValue(disruption.affectedComponents[index]?.status ?? component.status),
    })),
    createdAt: timestampFromDate(disruption.createdAt),
    updatedAt: timestampFromDate(disruption.updatedAt),
    ...(endsAt && { endsAt: timestampFromDate(endsAt) }),
    statusPageIds: [...disruption.statusPageIds],
    ...(acknowledgement && {
      acknowledgedAt: timestampFromDate(acknowledgement.at),
      acknowledgedBy: acknowledgement.by,
    }),
  };
}

export function updateToProto({ status, explanation, automaticText, postedAt, editedAt, ...update }: DisruptionUpdate) {
  return {
    ...update,
    ...(editedAt && { editedAt: timestampFromDate(editedAt) }),
    ...(automaticText && { automaticText: automaticTexts.toValue(automaticText) }),
    explanation: explanation ?? '',
    status: disruptionStatuses.toValue(status),
    postedAt: timestampFromDate(postedAt),
  };
}

/** Converts a request. Gives the timeline entries new ids in ascending order. */
export function newFromProto(request: CreateDisruptionRequest): NewDisruption {
  const { title, startedAt, endsAt, resolvedAt } = request;
  return {
    title,
    type: disruptionTypes.toName(request.type),
    impact: disruptionImpacts.toName(request.impact),
    startedAt: startedAt && timestampDate(startedAt),
    endsAt: endsAt && timestampDate(endsAt),
    message: messageOf(request.message) ?? '',
    status: disruptionStatuses.findName(request.status),
    resolvedAt: resolvedAt && timestampDate(resolvedAt),
    updates: request.updates.map((update) => ({
      id: v7(),
      status: disruptionStatuses.findName(update.status),
      message: messageOf(update.message) ?? '',
      postedAt: update.postedAt && timestampDate(update.postedAt),
    })),
  };
}

export function changesFromProto({ title, message, startedAt, endsAt, ...request }: UpdateDisruptionRequest) {
  return {
    title,
    type: disruptionTypes.findName(request.type),
    impact: disruptionImpacts.findName(request.impact),
    status: disruptionStatuses.findName(request.status),
    message: messageOf(message),
    startedAt: startedAt && timestampDate(startedAt),
    endsAt: endsAt && { value: endsAt.value && timestampDate(endsAt.value) },
    unpublishedPageId: request.unpublishedPageId?.toLowerCase(),
  };
}

/** Returns a message; undefined for a blank one, which counts as absent. */
function messageOf(message: string | undefined): string | undefined {
  return message === undefined || isBlank(message) ? undefined : message;
}

export function publicationFromProto(request: {
  statusPageId?: string | undefined;
  components?: ComponentsInput | undefined;
}): WantedPublication {
  return {
    statusPageId: request.statusPageId,
    components: request.components?.components.map(({ id, status }) => ({
      id,
      status: componentStatuses.findName(status),
    })),
  };
}

export function filterFromProto({ status, type, autoCreated }: ListDisruptionsRequest) {
  return { status: disruptionStatuses.findName(status), type: disruptionTypes.findName(type), autoCreated };
}
