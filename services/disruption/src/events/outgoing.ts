import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import { DisruptionCreatedSchema, DisruptionResolvedSchema } from '@tocsin/proto/disruption/v1/events';
import type { EndedDisruption, OpenDisruption } from '../domain/disruption.ts';
import { disruptionToProto } from '../rpc/convert.ts';

export function disruptionCreated(disruption: OpenDisruption): OutgoingEvent {
  const { id, organizationId } = disruption;
  const message = { disruption: disruptionToProto(disruption) };
  return outgoingEvent(DisruptionCreatedSchema, message, { organizationId, aggregateId: id });
}

export function disruptionResolved(disruption: EndedDisruption): OutgoingEvent {
  const { id, organizationId } = disruption;
  const message = { disruption: disruptionToProto(disruption) };
  return outgoingEvent(DisruptionResolvedSchema, message, { organizationId, aggregateId: id });
}
