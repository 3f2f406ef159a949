import type { MessageInitShape } from '@bufbuild/protobuf';
import { toSeconds } from '@tocsin/api-json';
import { componentStatuses } from '@tocsin/enums';
import type { CreateComponentRequestSchema, UpdateComponentRequestSchema } from '@tocsin/proto/statuspage/v1/component';
import type { Component, Group, MonitorLinkSchema } from '@tocsin/proto/statuspage/v1/statuspage';
import { type Static, Type } from 'typebox';
import { Id, idInput, Name, nullable, oneOf, Timestamp } from './common.ts';
import { nullableText } from './nullable-text.ts';

const downStatuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const;

/** Maximum number of components of a page. */
export const MAX_COMPONENTS = 500;

/** Maximum number of monitors of a component. */
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
  position: Type.Integer({ minimum: 0, description: '0-based place among its siblings' }),
  component_group_id: nullable(Id),
  monitors: Type.Array(MonitorLink, { maxItems: MAX_MONITORS }),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export const GroupSchema = Type.Object({
  type: oneOf(['group']),
  id: Id,
  name: Name,
  position: Type.Integer({ minimum: 0, description: "0-based place among the page's top-level entries" }),
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
  description: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
  monitors: Type.Optional(
    Type.Array(MonitorLinkInput, { maxItems: MAX_MONITORS, description: 'All monitors that it follows' }),
  ),
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

export const GroupCreate = Type.Object({ name: Name, position: Type.Optional(Position) });
export const GroupPatch = Type.Object({ name: Type.Optional(Name), position: Type.Optional(Position) });

export function toComponentJson(component: Component): Static<typeof ComponentSchema> {
  return {
    type: 'component',
    id: component.id,
    name: component.name,
    description: component.description ?? null,
    position: component.position,
    component_group_id: component.componentGroupId ?? null,
    monitors: component.monitors.map(({ monitorId, downStatus }) => ({
      monitor_id: monitorId,
      down_status: downStatuses.find((word) => componentStatuses.toValue(word) === downStatus) ?? 'major_outage',
    })),
    inserted_at: toSeconds(component.createdAt),
    updated_at: toSeconds(component.updatedAt),
  };
}

export function toGroupJson({ id, name, position, components, ...times }: Group): Static<typeof GroupSchema> {
  return {
    type: 'group',
    id,
    name,
    position,
    components: components.map(toComponentJson),
    inserted_at: toSeconds(times.createdAt),
    updated_at: toSeconds(times.updatedAt),
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
  };
}

/** Maps changes of a component to their protobuf form. */
export function componentChanges(
  body: Static<typeof ComponentPatch>,
): MessageInitShape<typeof UpdateComponentRequestSchema> {
  return {
    name: body.name,
    description: nullableText(body.description),
    position: body.position,
    componentGroupId: nullableText(body.component_group_id),
    ...(body.monitors && { monitors: { links: linksOf(body.monitors) } }),
  };
}
