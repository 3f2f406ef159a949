import type { Transaction } from '@tocsin/database';
import type { ComponentStatus } from '@tocsin/enums';
import type { Tables } from './tables.ts';

export interface LinkedComponent {
  readonly id: string;
  readonly name: string;
  readonly statusPageId: string;
  /** Status of the component while the monitor is down. */
  readonly downStatus: ComponentStatus;
  /** Slug in the URL of the component's page; undefined while the page is disabled. */
  readonly publicSlug: string | undefined;
}

interface LinkedRow
  extends Pick<Tables['component'], 'id' | 'name' | 'status_page_id'>,
    Pick<Tables['component_monitor'], 'down_status'> {
  down_status: ComponentStatus;
  public_slug: string | null;
}

const LINKED_COLUMNS =
  'c.id, c.name, c.status_page_id, l.down_status, case when p.enabled then p.slug end as public_slug';
const LINKED =
  'component_monitor l join component c on c.id = l.component_id join status_page p on p.id = c.status_page_id';

/** Returns the components that are linked to a monitor. Components of the oldest page come first. */
export async function listLinked(
  tx: Transaction,
  organizationId: string,
  monitorId: string,
): Promise<LinkedComponent[]> {
  const rows = await tx.query<LinkedRow>(
    `select ${LINKED_COLUMNS} from ${LINKED} where l.organization_id = $1 and l.monitor_id = $2 order by p.id, c.id`,
    [organizationId, monitorId],
  );
  return rows.map(toLinked);
}

function toLinked(row: LinkedRow): LinkedComponent {
  return {
    id: row.id,
    name: row.name,
    statusPageId: row.status_page_id,
    downStatus: row.down_status,
    publicSlug: row.public_slug ?? undefined,
  };
}

/** A link between a component and a monitor. */
export interface PageLink {
  readonly monitorId: string;
  readonly component: LinkedComponent;
}

/** Returns the links between the components of a page and the given monitors, sorted by component. */
export async function listPageLinks(
  tx: Transaction,
  { organizationId, statusPageId }: { organizationId: string; statusPageId: string },
  monitorIds: readonly string[],
): Promise<PageLink[]> {
  const rows = await tx.query<LinkedRow & { monitor_id: string }>(
    `select ${LINKED_COLUMNS}, l.monitor_id from ${LINKED}
     where l.organization_id = $1 and c.status_page_id = $2 and l.monitor_id = any($3) order by c.id, l.monitor_id`,
    [organizationId, statusPageId, monitorIds],
  );
  return rows.map((row) => ({ monitorId: row.monitor_id, component: toLinked(row) }));
}

/** Returns the ids of the monitors that are linked to any of the given components. */
export async function listLinkedMonitorIds(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['component_monitor'], 'monitor_id'>>(
    'select distinct monitor_id from component_monitor where organization_id = $1 and component_id = any($2)',
    [organizationId, componentIds],
  );
  return rows.map((row) => row.monitor_id);
}

/** Returns the ids of the components that are linked to a monitor. */
export async function listLinkedIds(tx: Transaction, organizationId: string, monitorId: string): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['component_monitor'], 'component_id'>>(
    'select component_id from component_monitor where organization_id = $1 and monitor_id = $2',
    [organizationId, monitorId],
  );
  return rows.map(({ component_id }) => component_id);
}

/** Returns which of the monitors are linked to components. */
export async function findLinkedMonitors(
  tx: Transaction,
  organizationId: string,
  monitorIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['component_monitor'], 'monitor_id'>>(
    'select distinct monitor_id from component_monitor where organization_id = $1 and monitor_id = any($2)',
    [organizationId, monitorIds],
  );
  return rows.map(({ monitor_id }) => monitor_id);
}

/** Returns the ids of the pages with components that are linked to a monitor. */
export async function listLinkedPageIds(tx: Transaction, organizationId: string, monitorId: string): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['component'], 'status_page_id'>>(
    `select distinct c.status_page_id from component_monitor l join component c on c.id = l.component_id
     where l.organization_id = $1 and l.monitor_id = $2`,
    [organizationId, monitorId],
  );
  return rows.map(({ status_page_id }) => status_page_id);
}

export interface ComponentName {
  readonly id: string;
  readonly name: string;
}

/** Returns the components of a page that have one of these ids, each with its id and name. */
export async function findNames(
  tx: Transaction,
  organizationId: string,
  pageId: string,
  ids: readonly string[],
): Promise<ComponentName[]> {
  return tx.query<ComponentName>(
    'select id, name from component where organization_id = $1 and status_page_id = $2 and id = any($3)',
    [organizationId, pageId, ids],
  );
}

/** Removes a monitor from all components, and returns the ids of the changed pages. */
export async function unlink(tx: Transaction, organizationId: string, monitorId: string, now: Date): Promise<string[]> {
  // Lock pages before their components, in the same order as all other writers.
  const pages = await tx.query<Pick<Tables['status_page'], 'id'>>(
    `select id from status_page where organization_id = $1 and id in (
       select c.status_page_id from component_monitor l join component c on c.id = l.component_id
       where l.organization_id = $1 and l.monitor_id = $2)
     order by id for update`,
    [organizationId, monitorId],
  );
  await tx.query(
    `with gone as (
       delete from component_monitor where organization_id = $1 and monitor_id = $2 returning component_id)
     update component set updated_at = $3 where organization_id = $1 and id in (select component_id from gone)`,
    [organizationId, monitorId, now],
  );
  return pages.map(({ id }) => id);
}

export interface StatusOfComponent {
  readonly id: string;
  readonly name: string;
  readonly statusPageId: string;
  readonly status: ComponentStatus;
}

/** Returns those of the given components that exist, and locks their rows until the transaction ends. */
export async function lockStatuses(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<StatusOfComponent[]> {
  const rows = await tx.query<{ id: string; name: string; status_page_id: string; status: ComponentStatus }>(
    `select id, name, status_page_id, status from component
     where organization_id = $1 and id = any($2) order by id for update`,
    [organizationId, ids],
  );
  return rows.map((row) => ({ id: row.id, name: row.name, statusPageId: row.status_page_id, status: row.status }));
}

export async function saveStatuses(
  tx: Transaction,
  organizationId: string,
  components: readonly StatusOfComponent[],
  now: Date,
): Promise<void> {
  await tx.query(
    `update component c set status = t.status, status_changed_at = $2
     from unnest($3::uuid[], $4::text[]) as t(id, status) where c.organization_id = $1 and c.id = t.id`,
    [organizationId, now, components.map(({ id }) => id), components.map(({ status }) => status)],
  );
}
