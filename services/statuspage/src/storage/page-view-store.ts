import type { Transaction } from '@tocsin/database';
import type { ComponentStatus, DisruptionImpact, DisruptionType } from '@tocsin/enums';
import { STATUSES_IN_FORCE } from '../domain/disruption.ts';
import type { ViewInputs } from '../domain/page-view.ts';
import { impactOnPage } from '../domain/shown-status.ts';
import { affectedStatuses } from './disruption-store.ts';
import { findConditions } from './monitor-condition-store.ts';

interface DisruptionRow {
  page_id: string;
  type: DisruptionType;
  impact: DisruptionImpact;
  auto_created: boolean;
  on_page: ComponentStatus[];
  everywhere: ComponentStatus[];
}

/**
 * Returns the active disruptions of pages. Read them before the components, because a disruption may be applied between
 * the two queries. In this order, a page that shows the disruption also shows the changed statuses of the affected
 * components.
 */
export async function listActiveDisruptions(
  tx: Transaction,
  organizationId: string,
  pageIds: readonly string[],
): Promise<ViewInputs['disruptions']> {
  const disruptions = await tx.query<DisruptionRow>(
    `select distinct page_id, d.type, d.impact, d.auto_created, ${affectedStatuses('d.id', 'page_id')} as on_page,
            ${affectedStatuses('d.id')} as everywhere
     from disruption_view d, unnest(d.status_page_ids) as page_id
     where d.organization_id = $1 and d.status_page_ids && $2::uuid[] and page_id = any($2) and d.status = any($3)`,
    [organizationId, pageIds, STATUSES_IN_FORCE],
  );
  return disruptions.map(({ page_id, type, impact, auto_created, on_page, everywhere }) => ({
    pageId: page_id,
    type,
    impact: impactOnPage({ autoCreated: auto_created, impact, onPage: on_page, everywhere }),
  }));
}

/** Returns the data from which the statuses of pages and their components are determined. */
export async function readViewInputs(
  tx: Transaction,
  organizationId: string,
  pageIds: readonly string[],
): Promise<ViewInputs> {
  const disruptions = await listActiveDisruptions(tx, organizationId, pageIds);
  const components = await tx.query<{ id: string; page_id: string; status: ComponentStatus; monitor_ids: string[] }>(
    `select c.id, c.status_page_id as page_id, c.status,
            coalesce(array_agg(l.monitor_id) filter (where l.monitor_id is not null), '{}') as monitor_ids
     from component c left join component_monitor l on l.component_id = c.id
     where c.organization_id = $1 and c.status_page_id = any($2) group by c.id`,
    [organizationId, pageIds],
  );
  const monitorIds = [...new Set(components.flatMap(({ monitor_ids }) => monitor_ids))];
  return {
    components: components.map((row) => ({
      id: row.id,
      pageId: row.page_id,
      status: row.status,
      monitorIds: row.monitor_ids,
    })),
    monitors: await findConditions(tx, organizationId, monitorIds),
    disruptions,
  };
}
