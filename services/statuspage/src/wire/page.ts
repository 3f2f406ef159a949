import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { componentStatuses, domainStatuses, locales, shownStatuses, themes } from '@tocsin/enums';
import type {
  ComponentInput,
  ComponentSchema,
  CreateStatusPageRequest,
  EntryInput,
  EntrySchema,
  GroupSchema,
  MonitorLink as LinkMessage,
  StatusPageSchema,
  UpdateStatusPageRequest,
} from '@tocsin/proto/statuspage/v1/statuspage';
import type { PageSettings, StatusPage } from '../domain/page.ts';
import type { PageView } from '../domain/page-view.ts';
import type { WantedComponent, WantedEntry } from '../domain/plan-structure.ts';
import type { PageStatus } from '../domain/shown-status.ts';
import type { Component, Entry, Group, MonitorLink } from '../domain/tree.ts';

/** Converts a page. `url` is its public URL, and `view` has the statuses that visitors see. */
export function pageToProto(
  page: StatusPage,
  entries: readonly Entry[],
  { url, view }: { url: string; view: PageView },
): MessageInitShape<typeof StatusPageSchema> {
  const { description, primaryColor, logoLightUrl, logoDarkUrl, homepageUrl, supportUrl } = page;
  return {
    id: page.id,
    organizationId: page.organizationId,
    name: page.name,
    slug: page.slug,
    ...defined({ description, primaryColor, logoLightUrl, logoDarkUrl, homepageUrl, supportUrl }),
    theme: themes.toValue(page.theme),
    showThemeSwitcher: page.showThemeSwitcher,
    enabled: page.enabled,
    subscribersEnabled: page.subscribersEnabled,
    showUptime: page.showUptime,
    locale: locales.toValue(page.locale),
    noindex: page.noindex,
    url,
    ...defined({ customDomain: page.domain?.name }),
    domainStatus: domainStatuses.toValue(page.domain?.status ?? 'none'),
    shownStatus: toShownStatus(view.status),
    entries: entries.map((entry) => entryToProto(entry, view)),
    createdAt: timestampFromDate(page.createdAt),
    updatedAt: timestampFromDate(page.updatedAt),
  };
}

function entryToProto(entry: Entry, view: PageView): MessageInitShape<typeof EntrySchema> {
  if (entry.kind === 'component')
    return { entry: { case: 'component', value: componentToProto(entry.component, view) } };
  return { entry: { case: 'group', value: groupToProto(entry.group, entry.components, view) } };
}

/** Converts a group. `components` are the group's components, in order. */
export function groupToProto(
  { id, name, position, defaultOpen, createdAt, updatedAt }: Group,
  components: readonly Component[],
  view: PageView,
): MessageInitShape<typeof GroupSchema> {
  return {
    id,
    name,
    position,
    ...defined({ defaultOpen }),
    components: components.map((component) => componentToProto(component, view)),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  };
}

/** Converts a component. The result is a whole message, because create() would take longer than the conversion. */
export function componentToProto(component: Component, { statuses }: PageView): MessageShape<typeof ComponentSchema> {
  const { description, groupId, startDate } = component;
  return {
    $typeName: 'tocsin.statuspage.v1.Component',
    id: component.id,
    name: component.name,
    description,
    componentGroupId: groupId,
    startDate,
    position: component.position,
    monitors: component.monitors.map(({ monitorId, downStatus }) => ({
      $typeName: 'tocsin.statuspage.v1.MonitorLink',
      monitorId,
      downStatus: componentStatuses.toValue(downStatus),
    })),
    status: componentStatuses.toValue(component.status),
    shownStatus: toShownStatus(statuses.get(component.id) ?? component.status),
    createdAt: timestampFromDate(component.createdAt),
    updatedAt: timestampFromDate(component.updatedAt),
  };
}

/** Converts a status. Statuses that the API does not have, such as `no_data`, become `unknown`. */
function toShownStatus(status: PageStatus) {
  return shownStatuses.toValue(shownStatuses.names.find((name) => name === status) ?? 'unknown');
}

export function settingsFromProto(request: CreateStatusPageRequest): PageSettings {
  const { name, slug, description, primaryColor, logoLightUrl, logoDarkUrl, homepageUrl, supportUrl } = request;
  const { showThemeSwitcher, enabled, subscribersEnabled, showUptime = true, noindex } = request;
  return {
    name,
    slug,
    description,
    primaryColor,
    logoLightUrl,
    logoDarkUrl,
    showThemeSwitcher,
    enabled,
    subscribersEnabled,
    showUptime,
    homepageUrl,
    supportUrl,
    noindex,
    theme: themes.toName(request.theme),
    locale: locales.toName(request.locale),
  };
}

/**
 * Returns only the changes that the request contains. A string that the request clears is present with the value
 * undefined.
 */
export function changesFromProto(request: UpdateStatusPageRequest): Partial<PageSettings> {
  const { name, slug, description, primaryColor, logoLightUrl, logoDarkUrl, homepageUrl, supportUrl } = request;
  const { showThemeSwitcher, enabled, subscribersEnabled, showUptime, noindex } = request;
  return {
    ...defined({ name, slug, theme: themes.findName(request.theme), locale: locales.findName(request.locale) }),
    ...defined({ showThemeSwitcher, enabled, subscribersEnabled, showUptime, noindex }),
    ...(description && { description: description.value }),
    ...(primaryColor && { primaryColor: primaryColor.value }),
    ...(logoLightUrl && { logoLightUrl: logoLightUrl.value }),
    ...(logoDarkUrl && { logoDarkUrl: logoDarkUrl.value }),
    ...(homepageUrl && { homepageUrl: homepageUrl.value }),
    ...(supportUrl && { supportUrl: supportUrl.value }),
  };
}

export function entryFromProto({ entry }: EntryInput): WantedEntry {
  switch (entry.case) {
    case 'group': {
      const { id, name, defaultOpen, components } = entry.value;
      return {
        kind: 'group',
        id: id?.toLowerCase(),
        name,
        defaultOpen,
        components: components.map(componentFromProto),
      };
    }
    case 'component':
      return { kind: 'component', ...componentFromProto(entry.value) };
    default:
      return { kind: 'unknown' };
  }
}

/** Converts a component. Ids are converted to lower case (RFC 9562 §4), because the domain compares them as strings. */
function componentFromProto({ id, name, description, monitors, startDate }: ComponentInput): WantedComponent {
  return { id: id?.toLowerCase(), name, description, monitors: linksFromProto(monitors), startDate };
}

/** Converts links. An unknown down status is treated like an absent one, which means a major outage. */
export function linksFromProto(links: readonly LinkMessage[]): MonitorLink[] {
  return links.map(({ monitorId, downStatus }) => ({
    monitorId: monitorId.toLowerCase(),
    downStatus: componentStatuses.findName(downStatus) ?? 'major_outage',
  }));
}

/** Returns the object without its undefined properties. */
export function defined<Values extends object>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Values]?: NonNullable<Values[Name]> };
}
