import { automaticTexts, componentStatuses, disruptionImpacts, disruptionTypes } from '@tocsin/enums';
import { worstFirst } from '../domain/component.ts';
import { type Disruption, type DisruptionUpdate, ENDED_STATUSES, OPEN_STATUSES } from '../domain/disruption.ts';
import type { ComponentRow, DisruptionRow, UpdateRow } from './schema.ts';
import type { Tables } from './tables.ts';

/** Row of a timeline entry, as it is read with SQL. */
export type StoredUpdate = Omit<Tables['disruption_update'], 'organization_id'>;

/** Row of an affected component, as it is read with SQL. */
export type StoredComponent = Omit<Tables['affected_component'], 'organization_id' | 'position'>;

/** Returns a disruption from its rows. Timeline rows are sorted newest first, component rows by position. */
export function toDomain(
  row: DisruptionRow,
  updates: readonly StoredUpdate[],
  components: readonly StoredComponent[],
): Disruption {
  const common = {
    id: row.id,
    organizationId: row.organizationId,
    title: row.title,
    automaticTitle: row.automaticTitle,
    type: known(disruptionTypes.names, row.type),
    impact: known(disruptionImpacts.names, row.impact),
    origin: row.monitorId ? ({ kind: 'monitor', monitorId: row.monitorId } as const) : ({ kind: 'person' } as const),
    startedAt: row.startedAt,
    endsAt: row.endsAt ?? undefined,
    dueAt: row.dueAt ?? undefined,
    updates: updates.map(toUpdate),
    affectedComponents: worstFirst(
      components.map((component) => ({
        id: component.component_id,
        name: component.name,
        statusPageId: component.status_page_id,
        status: known(componentStatuses.names, component.status),
      })),
    ),
    statusPageIds: row.statusPageIds,
    hiddenPageIds: row.hiddenPageIds,
    // The cast is safe, because a table constraint ensures that both columns are set or both are null.
    acknowledgement:
      row.acknowledgedAt && row.acknowledgedBy ? { at: row.acknowledgedAt, by: row.acknowledgedBy } : undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
  return row.resolvedAt
    ? { ...common, status: known(ENDED_STATUSES, row.status), resolvedAt: row.resolvedAt }
    : { ...common, status: known(OPEN_STATUSES, row.status), resolvedAt: undefined };
}

export function toRow(disruption: Disruption): DisruptionRow {
  const { origin } = disruption;
  return {
    id: disruption.id,
    organizationId: disruption.organizationId,
    title: disruption.title,
    automaticTitle: disruption.automaticTitle,
    type: disruption.type,
    status: disruption.status,
    impact: disruption.impact,
    autoCreated: origin.kind === 'monitor',
    monitorId: origin.kind === 'monitor' ? origin.monitorId : null,
    startedAt: disruption.startedAt,
    endsAt: disruption.endsAt ?? null,
    dueAt: disruption.dueAt ?? null,
    resolvedAt: disruption.resolvedAt ?? null,
    statusPageIds: [...disruption.statusPageIds],
    hiddenPageIds: [...disruption.hiddenPageIds],
    acknowledgedAt: disruption.acknowledgement?.at ?? null,
    acknowledgedBy: disruption.acknowledgement?.by ?? null,
    createdAt: disruption.createdAt,
    updatedAt: disruption.updatedAt,
  };
}

export function toUpdateRows({ id: disruptionId, organizationId, updates }: Disruption): UpdateRow[] {
  return updates.map((update) => ({
    ...update,
    explanation: update.explanation ?? null,
    automaticText: update.automaticText ?? null,
    editedAt: update.editedAt ?? null,
    disruptionId,
    organizationId,
  }));
}

export function toComponentRows({ id: disruptionId, organizationId, affectedComponents }: Disruption): ComponentRow[] {
  return affectedComponents.map(({ id: componentId, name, statusPageId, status }, position) => ({
    disruptionId,
    componentId,
    organizationId,
    name,
    statusPageId,
    status,
    position,
  }));
}

function toUpdate(row: StoredUpdate): DisruptionUpdate {
  return {
    id: row.id,
    status: known([...OPEN_STATUSES, ...ENDED_STATUSES], row.status),
    body: row.body,
    explanation: row.explanation ?? undefined,
    automatic: row.automatic,
    automaticText: row.automatic_text ? known(automaticTexts.names, row.automatic_text) : undefined,
    postedAt: row.posted_at,
    postedBy: row.posted_by,
    editedAt: row.edited_at ?? undefined,
    silent: row.silent,
  };
}

/**
 * Converts a stored value to the domain's type.
 * @throws Error for an unknown value, which only a bug in this service can have stored.
 */
function known<Word extends string>(words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (!found) throw new Error(`a stored disruption says "${text}", expected one of ${words.join(', ')}`);
  return found;
}
