import type { Transaction } from '@tocsin/database';
import type { ComponentStatus, DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/enums';
import { type AffectedComponent, type Disruption, STATUSES_IN_FORCE } from '../domain/disruption.ts';
import type { Tables } from './tables.ts';

/**
 * Saves a disruption and returns the components that it affected before. Stored timeline entries that it does not
 * contain are kept, because events carry only the newest entries.
 */
export async function saveDisruption(tx: Transaction, disruption: Disruption): Promise<string[]> {
  await tx.query(
    `insert into disruption_view (id, organization_id, title, type, status, impact, auto_created, started_at,
                                  ends_at, resolved_at, updates, status_page_ids, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (id) do update set title = excluded.title, type = excluded.type, status = excluded.status,
       impact = excluded.impact, started_at = excluded.started_at, ends_at = excluded.ends_at,
       resolved_at = excluded.resolved_at, status_page_ids = excluded.status_page_ids, updated_at = excluded.updated_at,
       updates = excluded.updates || coalesce(
         (select jsonb_agg(older order by place)
          from jsonb_array_elements(disruption_view.updates) with ordinality as known(older, place)
          where not exists (select from jsonb_array_elements(excluded.updates) as sent where sent->'id' = older->'id')),
         '[]')`,
    [
      disruption.id,
      disruption.organizationId,
      disruption.title,
      disruption.type,
      disruption.status,
      disruption.impact,
      disruption.autoCreated,
      disruption.startedAt,
      disruption.endsAt ?? null,
      disruption.resolvedAt ?? null,
      JSON.stringify(disruption.updates),
      disruption.statusPageIds,
      disruption.createdAt,
      disruption.updatedAt,
    ],
  );
  const before = await tx.query<Pick<Tables['disruption_component'], 'component_id'>>(
    'delete from disruption_component where organization_id = $1 and disruption_id = $2 returning component_id',
    [disruption.organizationId, disruption.id],
  );
  const { components } = disruption;
  await tx.query(
    `insert into disruption_component (organization_id, disruption_id, component_id, status_page_id, name, status, position)
     select $1, $2, * from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::int[])`,
    [
      disruption.organizationId,
      disruption.id,
      components.map(({ id }) => id),
      components.map(({ statusPageId }) => statusPageId),
      components.map(({ name }) => name),
      components.map(({ status }) => status),
      components.map((_, position) => position),
    ],
  );
  return before.map(({ component_id }) => component_id);
}

/** Deletes a disruption and returns the components that it affected. */
export async function deleteDisruption(tx: Transaction, organizationId: string, id: string): Promise<string[]> {
  const components = await tx.query<Pick<Tables['disruption_component'], 'component_id'>>(
    'delete from disruption_component where organization_id = $1 and disruption_id = $2 returning component_id',
    [organizationId, id],
  );
  await tx.query('delete from disruption_view where organization_id = $1 and id = $2', [organizationId, id]);
  return components.map(({ component_id }) => component_id);
}

/** Returns the statuses that active disruptions give to some components, by component. */
export async function statusesInForce(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
): Promise<Map<string, ComponentStatus[]>> {
  const rows = await tx.query<{ component_id: string; statuses: ComponentStatus[] }>(
    `select a.component_id, array_agg(a.status) as statuses
     from disruption_component a join disruption_view d on d.id = a.disruption_id
     where a.organization_id = $1 and a.component_id = any($2) and d.status = any($3)
     group by a.component_id`,
    [organizationId, componentIds, STATUSES_IN_FORCE],
  );
  return new Map(rows.map(({ component_id, statuses }) => [component_id, statuses]));
}

interface DisruptionRow {
  id: string;
  title: string;
  type: DisruptionType;
  status: DisruptionStatus;
  impact: DisruptionImpact;
  auto_created: boolean;
  started_at: Date;
  ends_at: Date | null;
  resolved_at: Date | null;
  updates: { id: string; status: DisruptionStatus; body: string; automatic?: boolean; postedAt: string }[];
  components: AffectedComponent[];
  status_page_ids: string[];
  created_at: Date;
  updated_at: Date;
}

/** Returns the disruptions that a page shows: open ones, and those resolved after `since`, newest first. */
export async function listPageDisruptions(
  tx: Transaction,
  organizationId: string,
  pageId: string,
  since: Date,
): Promise<Disruption[]> {
  const rows = await tx.query<DisruptionRow>(
    `select d.id, d.title, d.type, d.status, d.impact, d.auto_created, d.started_at, d.ends_at, d.resolved_at, d.updates,
            d.status_page_ids, d.created_at, d.updated_at,
            coalesce(jsonb_agg(jsonb_build_object('id', a.component_id, 'name', a.name, 'status', a.status,
                                                  'statusPageId', a.status_page_id) order by a.position)
                       filter (where a.component_id is not null), '[]') as components
     from disruption_view d
     left join disruption_component a on a.disruption_id = d.id and a.status_page_id = $2
     where d.organization_id = $1 and d.status_page_ids @> array[$2::uuid]
       and (d.resolved_at is null or d.resolved_at > $3)
     group by d.id order by d.started_at desc, d.id desc`,
    [organizationId, pageId, since],
  );
  return rows.map((row) => toDisruption(row, organizationId));
}

function toDisruption(row: DisruptionRow, organizationId: string): Disruption {
  return {
    id: row.id,
    organizationId,
    title: row.title,
    type: row.type,
    status: row.status,
    impact: row.impact,
    autoCreated: row.auto_created,
    startedAt: row.started_at,
    endsAt: row.ends_at ?? undefined,
    resolvedAt: row.resolved_at ?? undefined,
    updates: row.updates.map(({ automatic = false, ...update }) => ({
      ...update,
      automatic,
      postedAt: new Date(update.postedAt),
    })),
    components: row.components,
    statusPageIds: row.status_page_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
