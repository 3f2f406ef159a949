import {
  componentStatuses,
  type DisruptionType,
  disruptionImpacts,
  disruptionStatuses,
  disruptionTypes,
} from '@tocsin/enums';
import type { Disruption } from '@tocsin/proto/disruption/v1/disruption';
import { toSeconds, toSecondsOrNull } from './time.ts';

/** Name of the resource in the API. Each disruption is available under both names. */
export type Noun = 'disruption' | 'incident';

type TypeName = Noun | 'maintenance';

/** API names of the disruption types, by name of the resource. */
const TYPE_NAMES: Readonly<Record<Noun, Readonly<Record<DisruptionType, TypeName>>>> = {
  disruption: { disruption: 'disruption', maintenance: 'maintenance' },
  incident: { disruption: 'incident', maintenance: 'maintenance' },
};

/** Converts between disruption types and their API names, which depend on the name of the resource. */
export const disruptionTypeNames = {
  all: (noun: Noun): readonly TypeName[] => disruptionTypes.names.map((type) => TYPE_NAMES[noun][type]),
  of: (noun: Noun, type: number): TypeName => TYPE_NAMES[noun][disruptionTypes.toName(type)],
  toValue: (noun: Noun, name: TypeName | undefined) =>
    disruptionTypes.toValue(disruptionTypes.names.find((type) => TYPE_NAMES[noun][type] === name)),
};

/** Returns the API representation of a disruption or incident. */
export function disruptionResource(noun: Noun, disruption: Disruption) {
  return {
    id: disruption.id,
    title: disruption.title,
    type: disruptionTypeNames.of(noun, disruption.type),
    status: disruptionStatuses.toName(disruption.status),
    impact: disruptionImpacts.toName(disruption.impact),
    auto_created: disruption.autoCreated,
    started_at: toSeconds(disruption.startedAt),
    ends_at: toSecondsOrNull(disruption.endsAt),
    resolved_at: toSecondsOrNull(disruption.resolvedAt),
    acknowledged_at: toSecondsOrNull(disruption.acknowledgedAt),
    acknowledged_by: disruption.acknowledgedBy || null,
    updates: disruption.updates.map(({ id, status, body, explanation, postedAt, postedBy, editedAt }) => ({
      id,
      status: disruptionStatuses.toName(status),
      body,
      explanation: explanation || null,
      posted_at: toSeconds(postedAt),
      posted_by: postedBy,
      edited_at: toSecondsOrNull(editedAt),
    })),
    affected_components: disruption.affectedComponents.map(({ id, name, status }) => ({
      id,
      name,
      status: componentStatuses.toName(status),
    })),
    inserted_at: toSeconds(disruption.createdAt),
    updated_at: toSeconds(disruption.updatedAt),
  };
}
