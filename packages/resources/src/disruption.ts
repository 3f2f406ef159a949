import {
  type Disruption,
  DisruptionImpact,
  DisruptionStatus,
  DisruptionType,
} from '@tocsin/proto/disruption/v1/disruption';
import { componentStatuses } from './component-statuses.ts';
import { toSeconds, toSecondsOrNull } from './time.ts';
import { enumNames, type Words } from './words.ts';

/** The two names of the one resource. */
export type Noun = 'disruption' | 'incident';

type TypeWord = Noun | 'maintenance';

export const disruptionTypes: Readonly<Record<Noun, Words<TypeWord, DisruptionType>>> = {
  disruption: enumNames<TypeWord, DisruptionType>(DisruptionType, ['disruption', 'maintenance'], 'disruption'),
  incident: enumNames<TypeWord, DisruptionType>(
    { INCIDENT: DisruptionType.DISRUPTION, MAINTENANCE: DisruptionType.MAINTENANCE },
    ['incident', 'maintenance'],
    'incident',
  ),
};

export const disruptionImpacts = enumNames(DisruptionImpact, ['minor', 'major', 'critical'], 'major');
export const disruptionStatuses = enumNames(
  DisruptionStatus,
  ['investigating', 'identified', 'monitoring', 'resolved', 'scheduled', 'in_progress', 'completed'],
  'investigating',
);

/** A disruption under one of its names, in the words of the contract (spec: Disruption / incident). */
export function disruptionResource(noun: Noun, disruption: Disruption) {
  return {
    id: disruption.id,
    title: disruption.title,
    type: disruptionTypes[noun].toWord(disruption.type),
    status: disruptionStatuses.toWord(disruption.status),
    impact: disruptionImpacts.toWord(disruption.impact),
    auto_created: disruption.autoCreated,
    started_at: toSeconds(disruption.startedAt),
    ends_at: toSecondsOrNull(disruption.endsAt),
    resolved_at: toSecondsOrNull(disruption.resolvedAt),
    updates: disruption.updates.map(({ id, status, body, postedAt, postedBy }) => ({
      id,
      status: disruptionStatuses.toWord(status),
      body,
      posted_at: toSeconds(postedAt),
      posted_by: postedBy,
    })),
    affected_components: disruption.affectedComponents.map(({ id, name, status }) => ({
      id,
      name,
      status: componentStatuses.toWord(status),
    })),
    inserted_at: toSeconds(disruption.createdAt),
    updated_at: toSeconds(disruption.updatedAt),
  };
}
