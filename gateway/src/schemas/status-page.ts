import type { MessageInitShape } from '@bufbuild/protobuf';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import {
  type Component,
  type ComponentInputSchema,
  type CreateStatusPageRequestSchema,
  type Entry,
  type EntryInputSchema,
  type StatusPage,
  Theme,
  type UpdateStatusPageRequestSchema,
} from '@tocsin/proto/statuspage/v1/statuspage';
import { type Static, Type } from 'typebox';
import { Id, Name, nullable, oneOf, Timestamp } from './common.ts';
import { toSeconds } from './time.ts';
import { wordsOf } from './words.ts';

const themes = wordsOf(Theme, ['system', 'light', 'dark'], 'system');

export const componentStatuses = wordsOf(
  ComponentStatus,
  ['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'],
  'operational',
);

const downStatuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const;

const Slug = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
  'x-pattern-words': 'must be lowercase letters, digits and hyphens, and must not start or end with a hyphen',
});

const Color = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  'x-pattern-words': 'must be a color such as #1a2b3c',
  examples: ['#1a2b3c'],
});

const Url = Type.String({ maxLength: 2048, pattern: '^https?://', 'x-pattern-words': 'must be an http or https URL' });
const Description = Type.String({ maxLength: 1000 });

const MonitorLink = Type.Object({ monitor_id: Id, down_status: oneOf(downStatuses) });
const MonitorLinkInput = Type.Object({
  monitor_id: Type.String({ description: 'UUID of a monitor' }),
  down_status: Type.Optional(oneOf(downStatuses, { default: 'major_outage' })),
});

const ComponentAnswer = Type.Object({
  type: oneOf(['component']),
  id: Id,
  name: Name,
  description: nullable(Type.String()),
  position: Type.Integer({ minimum: 0 }),
  component_group_id: nullable(Id),
  monitors: Type.Array(MonitorLink),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

const EntryAnswer = Type.Object({
  type: oneOf(['group', 'component']),
  id: Id,
  name: Name,
  description: Type.Optional(nullable(Type.String({ description: 'Components only' }))),
  position: Type.Integer({ minimum: 0 }),
  component_group_id: Type.Optional(nullable(Id)),
  monitors: Type.Optional(Type.Array(MonitorLink, { description: 'Components only' })),
  components: Type.Optional(Type.Array(ComponentAnswer, { description: 'Groups only' })),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export const PageSummary = Type.Object({
  id: Id,
  name: Name,
  slug: Slug,
  description: nullable(Type.String()),
  theme: oneOf(themes.all),
  primary_color: nullable(Type.String()),
  logo_light_url: nullable(Type.String()),
  logo_dark_url: nullable(Type.String()),
  show_theme_switcher: Type.Boolean(),
  enabled: Type.Boolean(),
  subscribers_enabled: Type.Boolean(),
  custom_domain: nullable(Type.String()),
  domain_status: oneOf(['none', 'pending', 'active', 'failed']),
  url: Type.String({ format: 'uri' }),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

export const PageAnswer = Type.Object({ ...PageSummary.properties, components: Type.Array(EntryAnswer) });

const appearance = {
  description: Type.Optional(nullable(Description)),
  theme: Type.Optional(oneOf(themes.all, { default: 'system' })),
  primary_color: Type.Optional(nullable(Color)),
  logo_light_url: Type.Optional(nullable(Url)),
  logo_dark_url: Type.Optional(nullable(Url)),
  show_theme_switcher: Type.Optional(Type.Boolean({ default: false })),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  subscribers_enabled: Type.Optional(Type.Boolean({ default: false })),
};

export const PageCreate = Type.Object({ name: Name, slug: Slug, ...appearance });
export const PagePatch = Type.Object({ name: Type.Optional(Name), slug: Type.Optional(Slug), ...appearance });

const componentInput = {
  id: Type.Optional(nullable(Type.String({ description: 'UUID of an existing entry; absent: a new one' }))),
  name: Name,
  description: Type.Optional(nullable(Description)),
  monitors: Type.Optional(Type.Array(MonitorLinkInput)),
};

const ComponentInput = Type.Object({
  type: oneOf(['component'], { 'x-words': "must be component: groups can't be nested" }),
  ...componentInput,
});

const EntryInput = Type.Object({
  type: oneOf(['group', 'component']),
  ...componentInput,
  components: Type.Optional(Type.Array(ComponentInput, { description: 'Groups only' })),
});

export const StructureInput = Type.Object({ components: Type.Array(EntryInput) });

/** A page without its tree. */
export function pageSummary(page: StatusPage): Static<typeof PageSummary> {
  return {
    id: page.id,
    name: page.name,
    slug: page.slug,
    description: page.description ?? null,
    theme: themes.toWord(page.theme),
    primary_color: page.primaryColor ?? null,
    logo_light_url: page.logoLightUrl ?? null,
    logo_dark_url: page.logoDarkUrl ?? null,
    show_theme_switcher: page.showThemeSwitcher,
    enabled: page.enabled,
    subscribers_enabled: page.subscribersEnabled,
    custom_domain: null,
    domain_status: 'none',
    url: page.url,
    inserted_at: toSeconds(page.createdAt),
    updated_at: toSeconds(page.updatedAt),
  };
}

export function pageAnswer(page: StatusPage): Static<typeof PageAnswer> {
  return { ...pageSummary(page), components: page.entries.flatMap(entryAnswer) };
}

function entryAnswer({ entry }: Entry): Static<typeof EntryAnswer>[] {
  if (entry.case === 'component') return [componentAnswer(entry.value)];
  if (entry.case !== 'group') return [];
  const { id, name, position, components, createdAt, updatedAt } = entry.value;
  return [
    {
      type: 'group',
      id,
      name,
      position,
      components: components.map(componentAnswer),
      inserted_at: toSeconds(createdAt),
      updated_at: toSeconds(updatedAt),
    },
  ];
}

function componentAnswer(component: Component): Static<typeof ComponentAnswer> {
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

/** A wanted tree as the service takes it. */
export function entriesOf({ components }: Static<typeof StructureInput>): MessageInitShape<typeof EntryInputSchema>[] {
  return components.map((entry) =>
    entry.type === 'group'
      ? {
          entry: {
            case: 'group',
            value: {
              ...(entry.id && { id: entry.id }),
              name: entry.name,
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
    ...(input.id && { id: input.id }),
    name: input.name,
    ...(typeof input.description === 'string' && { description: input.description }),
    monitors: (input.monitors ?? []).map(({ monitor_id, down_status = 'major_outage' }) => ({
      monitorId: monitor_id,
      downStatus: componentStatuses.toValue(down_status),
    })),
  };
}

/** A new page as the service takes it. */
export function newPage(body: Static<typeof PageCreate>): MessageInitShape<typeof CreateStatusPageRequestSchema> {
  return {
    name: body.name,
    slug: body.slug,
    description: body.description ?? undefined,
    theme: themes.toValue(body.theme),
    primaryColor: body.primary_color ?? undefined,
    logoLightUrl: body.logo_light_url ?? undefined,
    logoDarkUrl: body.logo_dark_url ?? undefined,
    showThemeSwitcher: body.show_theme_switcher,
    enabled: body.enabled,
    subscribersEnabled: body.subscribers_enabled,
  };
}

/** Changes of a page as the service takes them. */
export function pageChanges(body: Static<typeof PagePatch>): MessageInitShape<typeof UpdateStatusPageRequestSchema> {
  return {
    name: body.name,
    slug: body.slug,
    description: nullableText(body.description),
    theme: themes.toValue(body.theme),
    primaryColor: nullableText(body.primary_color),
    logoLightUrl: nullableText(body.logo_light_url),
    logoDarkUrl: nullableText(body.logo_dark_url),
    showThemeSwitcher: body.show_theme_switcher,
    enabled: body.enabled,
    subscribersEnabled: body.subscribers_enabled,
  };
}

/** Absent leaves the text alone, null clears it. */
function nullableText(value: string | null | undefined): { value?: string } | undefined {
  if (value === undefined) return undefined;
  return value === null ? {} : { value };
}
