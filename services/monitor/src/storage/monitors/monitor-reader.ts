import type { Database } from '@tocsin/database';
import type { CheckType, MonitorState } from '@tocsin/enums';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { type StateRow, toEvaluatorState } from '../rounds/evaluator-state-store.ts';
import { MonitorEntity, type MonitorRow } from '../schema.ts';
import { toMonitor } from './monitor-store.ts';

/** What narrows a list of monitors; what is absent does not. */
export interface MonitorFilter {
  readonly checkType?: CheckType | undefined;
  readonly enabled?: boolean | undefined;
  /** `pending` includes monitors that nothing was decided about. */
  readonly state?: MonitorState | undefined;
  /** In whatever case. */
  readonly nameContains?: string | undefined;
}

/**
 * The joined row: a monitor under the names of its properties, its state under those of the columns, null without one.
 */
type ViewRow = MonitorRow & (StateRow | { [Column in keyof StateRow]: null });

const snake = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const VIEW = `select monitor_state.*, ${Object.keys(MonitorEntity.meta.properties)
  .map((property) => `monitor.${snake(property)} as "${property}"`)
  .join(', ')} from monitor left join monitor_state on monitor_state.monitor_id = monitor.id`;

function toView(row: ViewRow): MonitorView {
  return { monitor: toMonitor(row), evaluatorState: row.state === null ? undefined : toEvaluatorState(row) };
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

/** One page of an organization's monitors, newest first, below the id `before`. */
export async function readViews(
  database: Database,
  organizationId: string,
  filter: MonitorFilter,
  page: { readonly before: string | undefined; readonly limit: number | undefined },
): Promise<MonitorView[]> {
  const { checkType = null, enabled = null, state = null, nameContains = '' } = filter;
  const rows = await database.read<ViewRow>(
    { organizationId },
    `${VIEW}
     where monitor.organization_id = $1 and ($2::text is null or check_type = $2) and ($3::boolean is null or enabled = $3)
       and ($4::text is null or coalesce(state, 'pending') = $4) and ($5 = '' or strpos(lower(name), lower($5)) > 0)
       and ($6::uuid is null or monitor.id < $6)
     order by monitor.id desc limit $7`,
    [organizationId, checkType, enabled, state, nameContains, page.before ?? null, page.limit ?? null],
  );
  return rows.map(toView);
}
