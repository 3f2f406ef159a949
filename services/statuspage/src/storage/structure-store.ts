import type { Transaction } from '@tocsin/database';
import type { ComponentStatus } from '@tocsin/enums';
import type { StructurePlan } from '../domain/plan-structure.ts';
import type { Component, Group, MonitorLink, PlacedComponent, Structure } from '../domain/tree.ts';
import type { Tables } from './tables.ts';

export interface PageKey {
  readonly organizationId: string;
  readonly pageId: string;
}

type CommonRow = Pick<Tables['component_group'], 'id' | 'name' | 'position' | 'created_at' | 'updated_at'>;

type GroupRow = CommonRow & Pick<Tables['component_group'], 'default_open'>;

interface ComponentRow
  extends CommonRow,
    Pick<Tables['component'], 'component_group_id' | 'description' | 'status' | 'status_changed_at' | 'start_date'> {
  status: ComponentStatus;
}

interface LinkRow extends Pick<Tables['component_monitor'], 'component_id' | 'monitor_id' | 'down_status'> {
  down_status: ComponentStatus;
}

const SELECT_COMPONENTS = `
  select id, component_group_id, name, description, position, start_date, status, status_changed_at, created_at,
         updated_at
  from component where organization_id = $1 and status_page_id = $2`;

/** Returns a page's groups and components. With `for update`, also locks them until the transaction ends. */
export async function loadStructure(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  forUpdate: '' | 'for update' = '',
): Promise<Structure> {
  const key = [organizationId, pageId];
  // The statements are sent together, and run in this order.
  const [groups, components, links] = await Promise.all([
    tx.query<GroupRow>(
      `select id, name, position, default_open, created_at, updated_at from component_group
       where organization_id = $1 and status_page_id = $2`,
      key,
    ),
    // Lock rows in the order of their ids, as all other writers do.
    tx.query<ComponentRow>(`${SELECT_COMPONENTS} order by id ${forUpdate}`, key),
    // If the organization were another condition, PostgreSQL would compare each link of the organization with each id.
    tx.query<LinkRow>(
      `select component_id, monitor_id, down_status from component_monitor
       where component_id = any(array(select id from component where organization_id = $1 and status_page_id = $2))
       order by component_id, position`,
      key,
    ),
  ]);
  const linksOf = Map.groupBy(links, ({ component_id }) => component_id);
  return {
    groups: groups.map(toGroup),
    components: components.map((row) => toComponent(row, (linksOf.get(row.id) ?? []).map(toLink))),
  };
}

/** Returns a component of a page. */
export async function findComponent(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  id: string,
): Promise<Component | undefined> {
  const [row] = await tx.query<ComponentRow>(`${SELECT_COMPONENTS} and id = $3`, [organizationId, pageId, id]);
  if (!row) return undefined;
  const links = await tx.query<LinkRow>(
    `select component_id, monitor_id, down_status from component_monitor
     where organization_id = $1 and component_id = $2 order by position`,
    [organizationId, id],
  );
  return toComponent(row, links.map(toLink));
}

/** Settings of components, with their columns and types. */
const COMPONENT_COLUMNS = {
  groupId: { column: 'component_group_id', type: 'uuid' },
  name: { column: 'name', type: 'text' },
  description: { column: 'description', type: 'text' },
  position: { column: 'position', type: 'int' },
  startDate: { column: 'start_date', type: 'date' },
} as const;

const COMPONENT_SETTINGS = Object.keys(COMPONENT_COLUMNS) as (keyof typeof COMPONENT_COLUMNS)[];

/**
 * Writes a plan for the structure `current` without waiting for the results. Uses one statement per kind of change,
 * regardless of the number of entries. The caller has locked the page, and the plan updates only groups and components
 * of this page. The updates therefore find them by id alone: with the page as another condition, PostgreSQL may compare
 * each component of the page with each id.
 */
export function writePlan(
  tx: Transaction,
  key: PageKey,
  { current, plan, now }: { current: Structure; plan: StructurePlan; now: Date },
): void {
  const { groups, components, relinked } = plan;
  const page = [key.organizationId, key.pageId];

  if (groups.create.length > 0) {
    tx.send(
      `insert into component_group (organization_id, status_page_id, created_at, updated_at,
                                    id, name, position, default_open)
       select $1, $2, $3::timestamptz, $3::timestamptz, *
       from unnest($4::uuid[], $5::text[], $6::int[], $7::boolean[])`,
      [...page, now, ...columns(groups.create, 'id', 'name', 'position', 'defaultOpen')],
    );
  }
  if (groups.update.length > 0) {
    tx.send(
      `update component_group g set name = t.name, position = t.position, default_open = t.default_open, updated_at = $2
       from unnest($3::uuid[], $4::text[], $5::int[], $6::boolean[]) as t(id, name, position, default_open)
       where g.organization_id = $1 and g.id = t.id`,
      [key.organizationId, now, ...columns(groups.update, 'id', 'name', 'position', 'defaultOpen')],
    );
  }
  if (components.create.length > 0) {
    tx.send(
      `insert into component (organization_id, status_page_id, status_changed_at, created_at, updated_at,
                              id, component_group_id, name, description, position, start_date)
       select $1, $2, $3::timestamptz, $3::timestamptz, $3::timestamptz, *
       from unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::int[], $9::date[])`,
      [...page, now, ...columns(components.create, 'id', ...COMPONENT_SETTINGS)],
    );
  }
  // All writers lock components in the order of their ids. An update does so by itself, in the order of its list.
  if (components.delete.length > 0) {
    tx.send('select from component where organization_id = $1 and id = any($2) order by id for update', [
      key.organizationId,
      [...components.update.map(({ id }) => id), ...components.delete],
    ]);
  }
  if (components.update.length > 0) updateComponents(tx, key, { current, updated: components.update, now });
  replaceLinks(tx, key.organizationId, relinked);
  // Groups are deleted last, because until then components may refer to them.
  const remove = 'where organization_id = $1 and status_page_id = $2 and id = any($3)';
  if (components.delete.length > 0) tx.send(`delete from component ${remove}`, [...page, components.delete]);
  if (groups.delete.length > 0) tx.send(`delete from component_group ${remove}`, [...page, groups.delete]);
}

/** Updates the columns that differ in one of the components. Large lists are expensive, even of unchanged values. */
function updateComponents(
  tx: Transaction,
  { organizationId }: PageKey,
  { current, updated, now }: { current: Structure; updated: readonly PlacedComponent[]; now: Date },
): void {
  const before = new Map(current.components.map((component) => [component.id, component]));
  const changed = COMPONENT_SETTINGS.filter((name) =>
    updated.some((each) => each[name] !== before.get(each.id)?.[name]),
  );
  const settings = changed.map((name, index) => ({ ...COMPONENT_COLUMNS[name], parameter: `$${index + 4}` }));
  tx.send(
    `update component c set ${settings.map(({ column }) => `${column} = t.${column}, `).join('')}updated_at = $2
     from unnest($3::uuid[]${settings.map(({ parameter, type }) => `, ${parameter}::${type}[]`).join('')})
       as t(id${settings.map(({ column }) => `, ${column}`).join('')})
     where c.organization_id = $1 and c.id = t.id`,
    [
      organizationId,
      now,
      ...columns(
        updated.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        'id',
        ...changed,
      ),
    ],
  );
}

function replaceLinks(tx: Transaction, organizationId: string, components: readonly PlacedComponent[]): void {
  if (components.length === 0) return;
  tx.send('delete from component_monitor where organization_id = $1 and component_id = any($2)', [
    organizationId,
    components.map(({ id }) => id),
  ]);
  const links = components.flatMap(({ id, monitors }) =>
    monitors.map((link, position) => ({ componentId: id, position, ...link })),
  );
  if (links.length === 0) return;
  tx.send(
    `insert into component_monitor (organization_id, component_id, monitor_id, position, down_status)
     select $1, * from unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[])`,
    [organizationId, ...columns(links, 'componentId', 'monitorId', 'position', 'downStatus')],
  );
}

/** Returns one array per named property, for unnest(). Each array has the values of all items. */
function columns<Item>(items: readonly Item[], ...names: (keyof Item)[]): unknown[][] {
  return names.map((name) => items.map((item) => item[name] ?? null));
}

function toGroup(row: GroupRow): Group {
  return { ...toCommon(row), defaultOpen: row.default_open ?? undefined };
}

function toCommon(row: CommonRow) {
  return {
    id: row.id,
    name: row.name,
    position: row.position,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toComponent(row: ComponentRow, monitors: readonly MonitorLink[]): Component {
  return {
    ...toCommon(row),
    groupId: row.component_group_id ?? undefined,
    description: row.description ?? undefined,
    startDate: row.start_date ?? undefined,
    status: row.status,
    statusChangedAt: row.status_changed_at,
    monitors,
  };
}

function toLink(row: LinkRow): MonitorLink {
  return { monitorId: row.monitor_id, downStatus: row.down_status };
}
