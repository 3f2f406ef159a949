import type { Transaction } from '@tocsin/database';
import {
  type AutomaticText,
  type ComponentStatus,
  componentStatuses,
  type DisruptionImpact,
  type DisruptionStatus,
  type DisruptionType,
  MAX_UPDATES,
  severityOf,
} from '@tocsin/enums';
import {
  type AffectedComponent,
  type Disruption,
  type DisruptionUpdate,
  PAGE_LIMITS,
  type PageDisruptions,
  type Selection,
  type ShownDisruption,
  STATUSES_IN_FORCE,
} from '../domain/disruption.ts';
import { impactOnPage } from '../domain/shown-status.ts';
import type { Tables } from './tables.ts';

/** Pages and components on which a stored disruption is shown. */
export interface ShownAt {
  readonly componentIds: readonly string[];
  readonly pageIds: readonly string[];
}

/**
 * Timeline entries that a change edited or deleted. Events list them separately, because the timeline in an event
 * contains only the newest entries.
 */
export interface TimelineEdits {
  readonly deletedIds: readonly string[];
  readonly edited: readonly DisruptionUpdate[];
}

/** What was stored of a disruption before a change. */
export interface StoredBefore extends ShownAt {
  /** Ids of the timeline entries. */
  readonly updateIds: readonly string[];
}

/**
 * Saves a disruption and returns what was stored of it before. Stored timeline entries that are missing in `disruption`
 * remain, because events contain only the newest entries. The entries that a change deleted or edited are passed
 * separately.
 */
export async function saveDisruption(
  tx: Transaction,
  disruption: Disruption,
  { deletedIds, edited }: TimelineEdits,
): Promise<StoredBefore> {
  const [stored] = await tx.query<Pick<Tables['disruption_view'], 'status_page_ids'> & { update_ids: string[] }>(
    `select status_page_ids, array(select jsonb_array_elements(updates)->>'id') as update_ids
     from disruption_view where organization_id = $1 and id = $2 for update`,
    [disruption.organizationId, disruption.id],
  );
  await tx.query(
    `insert into disruption_view (id, organization_id, title, type, status, impact, auto_created, started_at,
                                  ends_at, resolved_at, updates, status_page_ids, created_at, updated_at,
                                  automatic_title)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (id) do update set title = excluded.title, automatic_title = excluded.automatic_title, type = excluded.type, status = excluded.status,
       impact = excluded.impact, started_at = excluded.started_at, ends_at = excluded.ends_at,
       resolved_at = excluded.resolved_at, status_page_ids = excluded.status_page_ids, updated_at = excluded.updated_at,
       updates = excluded.updates || coalesce(
         (select jsonb_agg(coalesce(edited, older) order by place)
          from jsonb_array_elements(disruption_view.updates) with ordinality as known(older, place)
          left join jsonb_array_elements($16::jsonb) as edited on edited->'id' = older->'id'
          where not exists (select from jsonb_array_elements(excluded.updates) as sent where sent->'id' = older->'id')
            and older->>'id' <> all($17::text[])),
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
      disruption.automaticTitle,
      JSON.stringify(edited),
      deletedIds,
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
  return {
    componentIds: before.map(({ component_id }) => component_id),
    pageIds: stored?.status_page_ids ?? [],
    updateIds: stored?.update_ids ?? [],
  };
}

/** Deletes a disruption and returns where it was shown. */
export async function deleteDisruption(tx: Transaction, organizationId: string, id: string): Promise<ShownAt> {
  const components = await tx.query<Pick<Tables['disruption_component'], 'component_id'>>(
    'delete from disruption_component where organization_id = $1 and disruption_id = $2 returning component_id',
    [organizationId, id],
  );
  const [stored] = await tx.query<Pick<Tables['disruption_view'], 'status_page_ids'>>(
    'delete from disruption_view where organization_id = $1 and id = $2 returning status_page_ids',
    [organizationId, id],
  );
  return { componentIds: components.map(({ component_id }) => component_id), pageIds: stored?.status_page_ids ?? [] };
}

/** Returns, by component id, the different statuses that active disruptions set for the given components. */
export async function statusesInForce(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
): Promise<Map<string, ComponentStatus[]>> {
  const rows = await tx.query<{ component_id: string; statuses: ComponentStatus[] }>(
    `select a.component_id, array_agg(distinct a.status) as statuses
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
  on_page: ComponentStatus[];
  everywhere: ComponentStatus[];
  automatic_title: boolean;
  auto_created: boolean;
  started_at: Date;
  ends_at: Date | null;
  resolved_at: Date | null;
  updates: {
    id: string;
    status: DisruptionStatus;
    body: string;
    automatic?: boolean;
    automaticText?: AutomaticText;
    postedAt: string;
    editedAt?: string;
    silent?: boolean;
  }[];
  has_older_updates: boolean;
  components: AffectedComponent[];
  omitted_components: number;
  omitted_like_it: number;
  status_page_ids: string[];
  created_at: Date;
  updated_at: Date;
}

const IMPACTS_BY_SEVERITY: readonly DisruptionImpact[] = ['minor', 'major', 'critical'];
const STATUSES_BY_SEVERITY = componentStatuses.names.toSorted((a, b) => severityOf(a) - severityOf(b));

/**
 * Returns an SQL expression that estimates the size in bytes of a Markdown text after it is rendered as HTML. Escaping
 * a character adds at most 5 bytes, and rendering a Markdown character adds about as many.
 */
function sizeInHtml(column: string): string {
  const escaped = `length(${column}) - length(translate(${column}, E'&<>"\\'*_\`[]()#:/\\n-', ''))`;
  return `octet_length(${column}) + 5 * (${escaped}) + ${PAGE_LIMITS.markupBytes}`;
}

/**
 * Returns an SQL expression for the different statuses that a disruption gives to components, of one page or of all
 * pages. The arguments are SQL expressions.
 */
export function affectedStatuses(disruptionId: string, pageId?: string): string {
  const ofPage = pageId === undefined ? '' : `and status_page_id = ${pageId}`;
  return `array(select distinct status from disruption_component where disruption_id = ${disruptionId} ${ofPage} order by 1)`;
}

/**
 * Returns selected disruptions of a page, newest first. If there are too many, returns the worst open ones and the last
 * resolved ones. If the content is too large, the newest timeline entry of each disruption takes priority over older
 * entries. The selected component, and then components with worse statuses, take priority over other components.
 */
export async function listPageDisruptions(
  tx: Transaction,
  organizationId: string,
  pageId: string,
  { since, until, id, componentId }: Selection,
): Promise<PageDisruptions> {
  const updatesOfOne = id === undefined ? PAGE_LIMITS.updatesOfOne : MAX_UPDATES + 1;
  const rows = await tx.query<DisruptionRow>(
    `with ranked as (
       select id, resolved_at is not null as is_over, count(*) over (partition by resolved_at is null) as total,
              row_number() over (
                partition by resolved_at is null
                order by resolved_at desc, status = 'scheduled',
                         case when type = 'maintenance' then 0 else array_position($4::text[], impact) end desc,
                         case when status = 'scheduled' then started_at end, started_at desc, id desc) as place
       from disruption_view
       where organization_id = $1 and status_page_ids @> array[$2::uuid] and (resolved_at is null or resolved_at > $3)
         and ($6::timestamptz is null or least(started_at, resolved_at) < $6) and ($7::uuid is null or id = $7)
         and ($8::uuid is null or exists (
           select from disruption_component a where a.disruption_id = disruption_view.id and a.component_id = $8))
     ), chosen as materialized (
       select id, is_over, place, total, case when is_over then ${PAGE_LIMITS.ended} else ${PAGE_LIMITS.open} end as most
       from ranked where place <= case when is_over then ${PAGE_LIMITS.ended} else ${PAGE_LIMITS.open} end
     ), timelines as materialized (
       -- Read one entry more than a page shows, to find out whether there are older ones.
       select c.*, jsonb_path_query_array(d.updates, '$[0 to ${updatesOfOne}]') as newest
       from chosen c join disruption_view d on d.id = c.id
     ), candidates as (
       -- Compare the plain length first, because it is cheap. Only the remaining entries are measured exactly.
       select c.id, c.is_over, c.place, e.entry, e.number,
              sum(octet_length(e.entry->>'body') + ${PAGE_LIMITS.markupBytes})
                over (order by e.number, c.is_over, c.place) as used
       from timelines c, jsonb_array_elements(c.newest) with ordinality as e(entry, number)
       where e.number <= ${updatesOfOne}
     ), entries as (
       select id, entry, number,
              sum(${sizeInHtml("(entry->>'body')")}) over (order by number, is_over, place) as used
       from candidates where used <= ${PAGE_LIMITS.updateBytes}
     ), shown_entries as materialized (
       select id, jsonb_agg(entry order by number) as updates from entries
       where used <= ${PAGE_LIMITS.updateBytes} group by id
     ), affected as (
       select c.id, c.is_over, c.place, a.component_id, a.name, a.status, a.position,
              row_number() over (partition by c.id
                                 order by a.component_id is not distinct from $8 desc,
                                          array_position($5::text[], a.status) desc, a.position) as number
       from chosen c join disruption_component a on a.disruption_id = c.id and a.status_page_id = $2
     ), measured as (
       select *, sum(${sizeInHtml('name')}) over (order by number, is_over, place) as used from affected
     ), shown_components as materialized (
       select id, count(*) filter (where not is_shown)::int as omitted,
              jsonb_agg(jsonb_build_object('id', component_id, 'name', name, 'status', status, 'statusPageId', $2::uuid)
                        order by position) filter (where is_shown) as components
       from (select *, number = 1 or used <= ${PAGE_LIMITS.componentBytes} as is_shown from measured) as m group by id
     )
     select d.id, d.title, d.automatic_title, d.type, d.status, d.impact, d.auto_created, d.started_at, d.ends_at, d.resolved_at,
            d.status_page_ids, d.created_at, d.updated_at, ${affectedStatuses('d.id', '$2')} as on_page,
            ${affectedStatuses('d.id')} as everywhere, coalesce(e.updates, '[]') as updates,
            jsonb_array_length(c.newest) > coalesce(jsonb_array_length(e.updates), 0) as has_older_updates,
            coalesce(a.components, '[]') as components, coalesce(a.omitted, 0) as omitted_components,
            greatest(c.total - c.most, 0)::int as omitted_like_it
     from timelines c join disruption_view d on d.id = c.id
     left join shown_entries e on e.id = c.id left join shown_components a on a.id = c.id
     order by d.started_at desc, d.id desc`,
    [
      organizationId,
      pageId,
      since,
      IMPACTS_BY_SEVERITY,
      STATUSES_BY_SEVERITY,
      until ?? null,
      id ?? null,
      componentId ?? null,
    ],
  );
  const omitted = (isOver: boolean) =>
    rows.find(({ resolved_at }) => (resolved_at !== null) === isOver)?.omitted_like_it ?? 0;
  return {
    shown: rows.map((row) => toDisruption(row, organizationId)),
    omittedOpen: omitted(false),
    omittedEnded: omitted(true),
  };
}

function toDisruption(row: DisruptionRow, organizationId: string): ShownDisruption {
  return {
    id: row.id,
    organizationId,
    title: row.title,
    automaticTitle: row.automatic_title,
    type: row.type,
    status: row.status,
    impact: impactOnPage({
      autoCreated: row.auto_created,
      impact: row.impact,
      onPage: row.on_page,
      everywhere: row.everywhere,
    }),
    autoCreated: row.auto_created,
    startedAt: row.started_at,
    endsAt: row.ends_at ?? undefined,
    resolvedAt: row.resolved_at ?? undefined,
    updates: row.updates.map(({ automatic = false, automaticText, silent = false, postedAt, editedAt, ...update }) => ({
      ...update,
      automaticText,
      automatic,
      silent,
      postedAt: new Date(postedAt),
      editedAt: editedAt === undefined ? undefined : new Date(editedAt),
    })),
    hasOlderUpdates: row.has_older_updates,
    components: row.components,
    omittedComponents: row.omitted_components,
    statusPageIds: row.status_page_ids,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
