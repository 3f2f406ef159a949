import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ComponentInputSchema, Entry, EntryInputSchema } from '@tocsin/proto/statuspage/v1/statuspage';
import { type Static, Type } from 'typebox';
import { Id, idInput, Name, nullable, oneOf, Timestamp } from './common.ts';
import {
  ComponentSchema,
  componentStatusFields,
  GroupSchema,
  groupFields,
  linksOf,
  MAX_COMPONENTS,
  MAX_MONITORS,
  MonitorLink,
  ShownStatus,
  toComponentJson,
  toGroupJson,
} from './component.ts';
import { withVariants } from './variants.ts';

/** Maximum number of groups and ungrouped components of a page. */
export const MAX_ENTRIES = 1_000;

/** A group or a component in a page's structure. */
const entry = Type.Object({
  type: oneOf(['group', 'component']),
  id: Id,
  name: Name,
  description: Type.Optional(nullable(Type.String({ maxLength: 1_000, description: 'Components only' }))),
  status: Type.Optional(ShownStatus),
  position: Type.Integer({ minimum: 0 }),
  component_group_id: Type.Optional(nullable(Id)),
  monitors: Type.Optional(Type.Array(MonitorLink, { maxItems: MAX_MONITORS, description: 'Components only' })),
  start_date: Type.Optional(nullable(Type.String({ maxLength: 10, description: 'Components only' }))),
  default_open: Type.Optional(nullable(Type.Boolean({ description: 'Groups only' }))),
  components: Type.Optional(Type.Array(ComponentSchema, { maxItems: MAX_COMPONENTS, description: 'Groups only' })),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export const EntrySchema = {
  ...entry,
  'x-document': {
    oneOf: [GroupSchema, ComponentSchema],
    discriminator: {
      propertyName: 'type',
      mapping: {
        group: '#/components/schemas/StatusPageComponentGroup',
        component: '#/components/schemas/StatusPageComponent',
      },
    },
  },
};

const entryInput = {
  id: Type.Optional(nullable(idInput('UUID of an existing entry; absent: a new one'))),
  name: Name,
  ...componentStatusFields,
};

const ComponentInput = Type.Object(
  {
    type: oneOf(['component'], { 'x-message': "must be component: groups can't be nested" }),
    ...entryInput,
  },
  { title: 'StructureComponent' },
);

const Components = Type.Optional(
  Type.Array(ComponentInput, { maxItems: MAX_COMPONENTS, description: 'Absent: an empty group' }),
);

const EntryInput = withVariants(
  Type.Object({ type: oneOf(['group', 'component']), ...entryInput, ...groupFields, components: Components }),
  'type',
  {
    group: { title: 'StructureGroup', fields: {}, without: ['description', 'monitors', 'start_date'] },
    component: { title: 'StructureComponent', fields: {}, without: ['components', 'default_open'] },
  },
);

export const StructureInput = Type.Object({
  components: Type.Array(EntryInput, {
    maxItems: MAX_ENTRIES,
    description: 'At most 500 components in all groups together, with at most 2,000 links to monitors',
  }),
});

/**
 * Maps an entry of the structure to JSON. Returns an empty list for an unknown kind, which a newer service may send.
 */
export function toEntryJson({ entry }: Entry): Static<typeof EntrySchema>[] {
  if (entry.case === 'component') return [toComponentJson(entry.value)];
  return entry.case === 'group' ? [toGroupJson(entry.value)] : [];
}

/** Maps a structure to its protobuf form. In a validate-only call, the parts that the schema rejected are missing. */
export function entriesOf({
  components = [],
}: Partial<Static<typeof StructureInput>>): MessageInitShape<typeof EntryInputSchema>[] {
  return components.map((entry) =>
    entry.type === 'group'
      ? {
          entry: {
            case: 'group',
            value: {
              ...(typeof entry.id === 'string' && { id: entry.id }),
              name: entry.name,
              defaultOpen: entry.default_open ?? undefined,
              components: (entry.components ?? []).map(componentOf),
            },
          },
        }
      : { entry: { case: 'component', value: componentOf(entry) } },
  );
}

function componentOf(
  input: Omit<Static<typeof ComponentInput>, 'type'>,
): MessageInitShape<typeof ComponentInputSchema> {
  return {
    ...(typeof input.id === 'string' && { id: input.id }),
    name: input.name,
    ...(typeof input.description === 'string' && { description: input.description }),
    monitors: linksOf(input.monitors ?? []),
    startDate: input.start_date ?? undefined,
  };
}
