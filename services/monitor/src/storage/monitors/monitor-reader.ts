import type { Database } from '@tocsin/database';
import type { CheckType, MonitorState } from '@tocsin/enums';
import { MAX_PART_BYTES, type Paging } from '@tocsin/paging';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { type StateRow, toEvaluatorState } from '../rounds/evaluator-state-store.ts';
import { MonitorEntity, type MonitorRow } from './monitor-entity.ts';
import { EXISTING_IDS, toMonitor } from './monitor-store.ts';

/** Filter for a list of monitors. Absent fields match all monitors. */
export interface MonitorFilter {
  readonly checkType?: CheckType | undefined;
  readonly enabled?: boolean | undefined;
  /** State to match; `pending` includes monitors that have no recorded state yet. */
  readonly state?: MonitorState | undefined;
  /** Substring of the name, case-insensitive. */
  readonly nameContains?: string | undefined;
}

/**
 * A joined row of a monitor and its state. The columns of the monitor have the names of its properties. The columns of
 * the state have the same names as in the database, and are null if the monitor has no state.
 */
type ViewRow = MonitorRow & { channels_broken: boolean } & (StateRow | { [Column in keyof StateRow]: null });

const snake = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const VIEW = `select monitor_state.*, ${Object.keys(MonitorEntity.meta.properties)
  .map((property) => `monitor.${snake(property)} as "${property}"`)
  .join(', ')}, cardinality(monitor.alert_channel_ids) > 0 and not exists (
    select from unnest(monitor.alert_channel_ids) as linked(id)
    where not exists (select from broken_channel b where b.channel_id = linked.id)
  ) as channels_broken from monitor left join monitor_state on monitor_state.monitor_id = monitor.id`;

/** Estimated size of a monitor's fields of variable size in a response, in bytes. */
const BYTES = `octet_length(config_json) + octet_length(name) + 70 * cardinality(secret_names)
  + 40 * cardinality(alert_channel_ids) + 150 * jsonb_array_length(alert_channel_links)`;

function toView(row: ViewRow): MonitorView {
  const evaluatorState = row.state === null ? undefined : toEvaluatorState(row);
  return { monitor: toMonitor(row), evaluatorState, channelsBroken: row.channels_broken };
}

export async function readView(
  database: Database,
  organizationId: string,
  id: string,
): Promise<MonitorView | undefined> {
  const sql = `${VIEW} where monitor.id = $1 and monitor.organization_id = $2`;
  const [row] = await database.read<ViewRow>({ organizationId }, sql, [id, organizationId]);
  return row && toView(row);
}

/** Returns those of the given monitors that exist, in no particular order. */
export async function readViewsOf(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<MonitorView[]> {
  const sql = `${VIEW} where monitor.id = any($1) and monitor.organization_id = $2`;
  return (await database.read<ViewRow>({ organizationId }, sql, [ids, organizationId])).map(toView);
}

/** Returns which of the given ids belong to the organization's monitors. */
export async function readExistingIds(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.read<Pick<MonitorRow, 'id'>>({ organizationId }, EXISTING_IDS, [organizationId, ids]);
  return rows.map(({ id }) => id);
}

/**
 * Returns a page of an organization's monitors, newest first, and whether there are more. The total size is bounded, so
 * a page with large configs or many linked channels has fewer monitors.
 */
export async function readViews(
  database: Database,
  organizationId: string,
  filter: MonitorFilter,
  { before, limit }: Paging,
): Promise<{ views: MonitorView[]; hasMore: boolean }> {
  const { checkType = null, enabled = null, state = null, nameContains = '' } = filter;
  const rows = await database.read<ViewRow & { found: number }>(
    { organizationId },
    `with found as (
       select monitor.id, ${BYTES} as bytes
       from monitor left join monitor_state on monitor_state.monitor_id = monitor.id
       where monitor.organization_id = $1 and ($2::text is null or check_type = $2)
         and ($3::boolean is null or enabled = $3) and ($4::text is null or coalesce(state, 'pending') = $4)
         and ($5 = '' or strpos(lower(name), lower($5)) > 0) and ($6::uuid is null or monitor.id < $6)
       order by monitor.id desc limit $7
     ), sized as (
       select id, count(*) over () as found,
         coalesce(sum(bytes) over (order by id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
       from found
     )
     select sized.found::integer, view.* from sized join (${VIEW}) as view on view.id = sized.id
     where bytes_before < $8 order by sized.id desc`,
    [organizationId, checkType, enabled, state, nameContains, before ?? null, limit + 1, MAX_PART_BYTES],
  );
  const views = rows.slice(0, limit).map(toView);
  return { views, hasMore: views.length < (rows[0]?.found ?? 0) };
}
