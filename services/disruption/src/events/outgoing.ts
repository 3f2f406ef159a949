import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { type Disruption, isOpen } from '../domain/disruption.ts';
import { disruptionToProto } from '../wire/disruption.ts';

export function disruptionCreated(disruption: Disruption): OutgoingEvent {
  return about(DisruptionCreatedSchema, disruption);
}

/** That it ended, if that is what changed; any other change is an update. */
export function disruptionChanged(before: Disruption, after: Disruption): OutgoingEvent {
  const ended = isOpen(before) && !isOpen(after);
  return about(ended ? DisruptionResolvedSchema : DisruptionUpdatedSchema, after);
}

/** `disruption` as it was last. */
export function disruptionDeleted(disruption: Disruption): OutgoingEvent {
  return about(DisruptionDeletedSchema, disruption);
}

type FactSchema =
  | typeof DisruptionCreatedSchema
  | typeof DisruptionUpdatedSchema
  | typeof DisruptionResolvedSchema
  | typeof DisruptionDeletedSchema;

function about(schema: FactSchema, disruption: Disruption): OutgoingEvent {
  const { id, organizationId } = disruption;
  return outgoingEvent<FactSchema>(
    schema,
    { disruption: disruptionToProto(disruption) },
    { organizationId, aggregateId: id },
  );
}
