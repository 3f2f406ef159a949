import type { MessageInitShape } from '@bufbuild/protobuf';
import { toSeconds } from '@tocsin/api-json';
import { domainStatuses, locales, shownStatuses, themes } from '@tocsin/enums';
import type {
  CreateStatusPageRequestSchema,
  StatusPage,
  UpdateStatusPageRequestSchema,
} from '@tocsin/proto/statuspage/v1/statuspage';
import { type Static, Type } from 'typebox';
import { Id, MARKDOWN, MAX_URL, Name, nullable, oneOf, shortText, Timestamp } from './common.ts';
import { ShownStatus } from './component.ts';
import { nullableValue } from './nullable-value.ts';
import { EntrySchema, MAX_ENTRIES, toEntryJson } from './structure.ts';

const Slug = Type.String({
  minLength: 3,
  maxLength: 63,
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
  'x-pattern-message': 'must be lowercase letters, digits and hyphens, and must not start or end with a hyphen',
});

const Color = Type.String({
  maxLength: 7,
  pattern: '^#[0-9A-Fa-f]{6}$',
  'x-pattern-message': 'must be a color such as #1a2b3c',
  examples: ['#1a2b3c'],
});

const Url = Type.String({
  maxLength: MAX_URL,
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[!-~]+$',
  'x-pattern-message': 'must be an http or https URL',
});
const Description = Type.String({ maxLength: 1000, description: MARKDOWN });
const SUBSCRIBERS =
  'Whether visitors can subscribe by mail: the page then has a form, and each address that has confirmed gets a mail when a disruption or maintenance is reported, updated or over';

export const PageSummary = Type.Object({
  id: Id,
  name: Name,
  slug: Slug,
  status: ShownStatus,
  description: nullable(Description),
  theme: oneOf(themes.names),
  primary_color: nullable(Type.String({ maxLength: 7 })),
  logo_light_url: nullable(Type.String({ maxLength: MAX_URL })),
  logo_dark_url: nullable(Type.String({ maxLength: MAX_URL })),
  show_theme_switcher: Type.Boolean(),
  enabled: Type.Boolean(),
  subscribers_enabled: Type.Boolean({ description: SUBSCRIBERS }),
  show_uptime: Type.Boolean(),
  homepage_url: nullable(Type.String({ maxLength: MAX_URL })),
  support_url: nullable(Type.String({ maxLength: MAX_URL })),
  locale: oneOf(locales.names),
  noindex: Type.Boolean(),
  custom_domain: nullable(Type.String({ maxLength: 253 })),
  domain_status: oneOf(domainStatuses.names),
  url: Type.String({ format: 'uri', maxLength: MAX_URL }),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

const LogoError = nullable(
  shortText({
    description: 'Why a logo can not be fetched from its URL; the page then shows its name only',
    examples: ['logo_light_url: the server returned 404'],
  }),
);

export const PageSchema = Type.Object({
  ...PageSummary.properties,
  logo_error: LogoError,
  components: Type.Array(EntrySchema, { maxItems: MAX_ENTRIES }),
});

/** Response to the creation of a page, which has no components yet. */
export const PageCreated = Type.Object({
  ...PageSummary.properties,
  logo_error: LogoError,
  components: Type.Array(EntrySchema, { maxItems: 0, description: 'Empty' }),
});

const appearance = {
  description: Type.Optional(nullable(Description)),
  theme: Type.Optional(oneOf(themes.names, { default: 'system' })),
  primary_color: Type.Optional(nullable(Color)),
  logo_light_url: Type.Optional(nullable(Url)),
  logo_dark_url: Type.Optional(nullable(Url)),
  show_theme_switcher: Type.Optional(Type.Boolean({ default: false })),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  subscribers_enabled: Type.Optional(Type.Boolean({ default: false, description: SUBSCRIBERS })),
  show_uptime: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether the page shows the uptime of its components' }),
  ),
  homepage_url: Type.Optional(nullable({ ...Url, description: 'Your home page, to which the page links' })),
  support_url: Type.Optional(nullable({ ...Url, description: 'Your support, to which the page links' })),
  locale: Type.Optional(oneOf(locales.names, { default: 'en', description: 'Language of the page' })),
  noindex: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether search engines are asked not to list the page' }),
  ),
};

export const PageCreate = Type.Object({ name: Name, slug: Slug, ...appearance });
export const PagePatch = Type.Object({ name: Type.Optional(Name), slug: Type.Optional(Slug), ...appearance });

/** Maps a page to JSON without its components. */
export function pageSummary(page: StatusPage): Static<typeof PageSummary> {
  return {
    id: page.id,
    name: page.name,
    slug: page.slug,
    status: shownStatuses.toName(page.shownStatus),
    description: page.description ?? null,
    theme: themes.toName(page.theme),
    primary_color: page.primaryColor ?? null,
    logo_light_url: page.logoLightUrl ?? null,
    logo_dark_url: page.logoDarkUrl ?? null,
    show_theme_switcher: page.showThemeSwitcher,
    enabled: page.enabled,
    subscribers_enabled: page.subscribersEnabled,
    show_uptime: page.showUptime,
    homepage_url: page.homepageUrl ?? null,
    support_url: page.supportUrl ?? null,
    locale: locales.toName(page.locale),
    noindex: page.noindex,
    custom_domain: page.customDomain ?? null,
    domain_status: domainStatuses.toName(page.domainStatus),
    url: page.url,
    inserted_at: toSeconds(page.createdAt),
    updated_at: toSeconds(page.updatedAt),
  };
}

export function toPageJson(page: StatusPage): Static<typeof PageSchema> {
  return { ...pageSummary(page), logo_error: page.logoError || null, components: page.entries.flatMap(toEntryJson) };
}

/** Maps a new page to its protobuf form. */
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
    showUptime: body.show_uptime,
    homepageUrl: body.homepage_url ?? undefined,
    supportUrl: body.support_url ?? undefined,
    locale: locales.toValue(body.locale),
    noindex: body.noindex,
  };
}

/** Maps changes of a page to their protobuf form. */
export function pageChanges(body: Static<typeof PagePatch>): MessageInitShape<typeof UpdateStatusPageRequestSchema> {
  return {
    name: body.name,
    slug: body.slug,
    description: nullableValue(body.description),
    theme: themes.toValue(body.theme),
    primaryColor: nullableValue(body.primary_color),
    logoLightUrl: nullableValue(body.logo_light_url),
    logoDarkUrl: nullableValue(body.logo_dark_url),
    showThemeSwitcher: body.show_theme_switcher,
    enabled: body.enabled,
    subscribersEnabled: body.subscribers_enabled,
    showUptime: body.show_uptime,
    homepageUrl: nullableValue(body.homepage_url),
    supportUrl: nullableValue(body.support_url),
    locale: locales.toValue(body.locale),
    noindex: body.noindex,
  };
}
