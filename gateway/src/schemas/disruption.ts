import {
  type Disruption,
  DisruptionImpact,
  DisruptionStatus,
  DisruptionType,
} from '@tocsin/proto/disruption/v1/disruption';
import { type Static, Type } from 'typebox';
import { Id, nullable, oneOf, Timestamp } from './common.ts';
import { componentStatuses } from './status-page.ts';
import { toSeconds, toSecondsOrNull } from './time.ts';
import { wordsOf } from './words.ts';

const types = wordsOf(DisruptionType, ['disruption', 'maintenance'], 'disruption');
const impacts = wordsOf(DisruptionImpact, ['minor', 'major', 'critical'], 'major');
const statuses = wordsOf(
  DisruptionStatus,
  ['investigating', 'identified', 'monitoring', 'resolved', 'scheduled', 'in_progress', 'completed'],
  'investigating',
);

export const DisruptionAnswer = Type.Object({
  id: Id,
  title: Type.String({ minLength: 1, maxLength: 255 }),
  type: oneOf(types.all),
  status: oneOf(statuses.all),
  impact: oneOf(impacts.all),
  auto_created: Type.Boolean({ description: 'Opened by the system after a monitor went down' }),
  started_at: Timestamp,
  resolved_at: nullable(Timestamp),
  updates: Type.Array(
    Type.Object({
      id: Id,
      status: oneOf(statuses.all),
      body: Type.String(),
      posted_at: Timestamp,
      posted_by: Type.String(),
    }),
    { description: 'Newest first' },
  ),
  affected_components: Type.Array(Type.Object({ id: Id, name: Type.String(), status: oneOf(componentStatuses.all) })),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export function disruptionAnswer(disruption: Disruption): Static<typeof DisruptionAnswer> {
  return {
    id: disruption.id,
    title: disruption.title,
    type: types.toWord(disruption.type),
    status: statuses.toWord(disruption.status),
    impact: impacts.toWord(disruption.impact),
    auto_created: disruption.autoCreated,
    started_at: toSeconds(disruption.startedAt),
    resolved_at: toSecondsOrNull(disruption.resolvedAt),
    updates: disruption.updates.map(({ id, status, body, postedAt, postedBy }) => ({
      id,
      status: statuses.toWord(status),
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
