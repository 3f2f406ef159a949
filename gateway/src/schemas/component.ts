import type { MessageInitShape } from '@bufbuild/protobuf';
import { toSeconds } from '@tocsin/api-json';
import { componentStatuses, shownStatuses } from '@tocsin/enums';
import type {
  CreateComponentRequestSchema,
  CreateGroupRequestSchema,
  UpdateComponentRequestSchema,
  UpdateGroupRequestSchema,
} from '@tocsin/proto/statuspage/v1/component';
import type { Component, Group, MonitorLinkSchema } from '@tocsin/proto/statuspage/v1/statuspage';
import { type Static, Type } from 'typebox';
import { Id, idInput, MARKDOWN, Name, nullable, oneOf, Timestamp } from './common.ts';
import { nullableValue } from './nullable-value.ts';

const downStatuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const;

const StartDate = Type.String({
  maxLength: 10,
  pattern: '^(19|2\\d)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  'x-pattern-message': 'must be a date such as 2026-11-20',
  examples: ['2026-11-20'],
});

const START_DATE = 'First day in UTC that counts for the history and the uptime; null: all days count';

const DEFAULT_OPEN =
  'Whether the page shows the group opened; null: closed if the page is long and all in the group is well';

/** Status of a component or a page in responses. */
export const ShownStatus = oneOf(shownStatuses.names, {
  description: 'Status that visitors see; unknown: not monitored, or without recent data',
});

/** Maximum number of components on a page. */
export const MAX_COMPONENTS = 500;

/** Maximum number of monitors linked to a component. */
export const MAX_MONITORS = 100;

export const MonitorLink = Type.Object({ monitor_id: Id, down_status: oneOf(downStatuses) });
const MonitorLinkInput = Type.Object({
  monitor_id: idInput('UUID of a monitor'),
  down_status: Type.Optional(oneOf(downStatuses, { default: 'major_outage' })),
});

export const ComponentSchema = Type.Object({
  type: oneOf(['component']),
  id: Id,
  name: Name,
  description: nullable(Type.String({ maxLength: 1_000 })),
  status: ShownStatus,
  position: Type.Integer({ minimum: 0, description: '0-based place among its siblings' }),
  component_group_id: nullable(Id),
  monitors: Type.Array(MonitorLink, { maxItems: MAX_MONITORS }),
  start_date: nullable(Type.String({ maxLength: 10, description: START_DATE })),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export const GroupSchema = Type.Object({
  type: oneOf(['group']),
  id: Id,
  name: Name,
  position: Type.Integer({ minimum: 0, description: "0-based place among the page's top-level entries" }),
  default_open: nullable(Type.Boolean({ description: DEFAULT_OPEN })),
  components: Type.Array(ComponentSchema, { maxItems: MAX_COMPONENTS }),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

/** Response to the creation of a group, which has no components yet. */
export const GroupCreated = Type.Object({
  ...GroupSchema.properties,
  components: Type.Array(ComponentSchema, { maxItems: 0, description: 'Empty' }),
});

/** Fields of a component, inside a group or not. */
export const componentStatusFields = {
  description: Type.Optional(nullable(Type.String({ maxLength: 1000, description: MARKDOWN }))),
  monitors: Type.Optional(
    Type.Array(MonitorLinkInput, {
      maxItems: MAX_MONITORS,
      description: 'All monitors that it follows; all components of a page have at most 2,000 links to monitors',
    }),
  ),
  start_date: Type.Optional(nullable({ ...StartDate, description: START_DATE })),
};

/** Fields of a group. */
export const groupFields = {
  default_open: Type.Optional(nullable(Type.Boolean({ description: DEFAULT_OPEN }))),
};

const Position = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: '0-based place in the end; beyond the end: last',
});

const place = {
  position: Type.Optional(Position),
  component_group_id: Type.Optional(nullable(idInput('UUID of a group of the page; null: at the top level'))),
};

export const ComponentCreate = Type.Object({ name: Name, ...componentStatusFields, ...place });
export const ComponentPatch = Type.Object({ name: Type.Optional(Name), ...componentStatusFields, ...place });

const groupSettings = { position: Type.Optional(Position), ...groupFields };

export const GroupCreate = Type.Object({ name: Name, ...groupSettings });
export const GroupPatch = Type.Object({ name: Type.Optional(Name), ...groupSettings });

export function toComponentJson(component: Component): Static<typeof ComponentSchema> {
  return {
    type: 'component',
    id: component.id,
    name: component.name,
    description: component.description ?? null,
    status: shownStatuses.toName(component.shownStatus),
    position: component.position,
    component_group_id: component.componentGroupId ?? null,
    monitors: component.monitors.map(({ monitorId, downStatus }) => ({
      monitor_id: monitorId,
      down_status: downStatuses.find((word) => componentStatuses.toValue(word) === downStatus) ?? 'major_outage',
    })),
    start_date: component.startDate ?? null,
    inserted_at: toSeconds(component.createdAt),
    updated_at: toSeconds(component.updatedAt),
  };
}

export function toGroupJson(group: Group): Static<typeof GroupSchema> {
  const { id, name, position, defaultOpen = null, components } = group;
  return {
    type: 'group',
    id,
    name,
    position,
    default_open: defaultOpen,
    components: components.map(toComponentJson),
    inserted_at: toSeconds(group.createdAt),
    updated_at: toSeconds(group.updatedAt),
  };
}

/** Maps links to monitors to their protobuf form. */
export function linksOf(
  links: readonly Static<typeof MonitorLinkInput>[],
): MessageInitShape<typeof MonitorLinkSchema>[] {
  return links.map(({ monitor_id, down_status = 'major_outage' }) => ({
    monitorId: monitor_id,
    downStatus: componentStatuses.toValue(down_status),
  }));
}

/** Maps a new component to its protobuf form. */
export function newComponent(
  body: Static<typeof ComponentCreate>,
): MessageInitShape<typeof CreateComponentRequestSchema> {
  return {
    name: body.name,
    description: body.description ?? undefined,
    position: body.position,
    componentGroupId: body.component_group_id ?? undefined,
    monitors: linksOf(body.monitors ?? []),
    startDate: body.start_date ?? undefined,
  };
}

/** Maps changes of a component to their protobuf form. */
export function componentChanges(
  body: Static<typeof ComponentPatch>,
): MessageInitShape<typeof UpdateComponentRequestSchema> {
  return {
    name: body.name,
    description: nullableValue(body.description),
    position: body.position,
    componentGroupId: nullableValue(body.component_group_id),
    ...(body.monitors && { monitors: { links: linksOf(body.monitors) } }),
    startDate: nullableValue(body.start_date),
  };
}

/** Maps a new group to its protobuf form. */
export function newGroup(body: Static<typeof GroupCreate>): MessageInitShape<typeof CreateGroupRequestSchema> {
  return { name: body.name, position: body.position, defaultOpen: body.default_open ?? undefined };
}

/** Maps changes of a group to their protobuf form. */
export function groupChanges(body: Static<typeof GroupPatch>): MessageInitShape<typeof UpdateGroupRequestSchema> {
  return { name: body.name, position: body.position, defaultOpen: nullableValue(body.default_open) };
}
