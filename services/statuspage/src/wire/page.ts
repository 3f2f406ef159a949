import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ComponentStatus as Status } from '@tocsin/proto/statuspage/v1/component_status';
import { DomainStatus } from '@tocsin/proto/statuspage/v1/custom_domain';
import {
  type ComponentInput,
  type ComponentSchema,
  type CreateStatusPageRequest,
  type EntryInput,
  type EntrySchema,
  type GroupSchema,
  type MonitorLink as LinkMessage,
  type StatusPageSchema,
  type UpdateStatusPageRequest,
  Theme as WireTheme,
} from '@tocsin/proto/statuspage/v1/statuspage';
import type { ComponentStatus } from '../domain/component-status.ts';
import type { CustomDomain } from '../domain/custom-domain.ts';
import type { PageSettings, StatusPage, Theme } from '../domain/page.ts';
import type { WantedComponent, WantedEntry } from '../domain/plan-structure.ts';
import type { Component, Entry, Group, MonitorLink } from '../domain/tree.ts';

const STATUS_TO_PROTO: Record<ComponentStatus, Status> = {
  operational: Status.OPERATIONAL,
  degraded_performance: Status.DEGRADED_PERFORMANCE,
  partial_outage: Status.PARTIAL_OUTAGE,
  major_outage: Status.MAJOR_OUTAGE,
  under_maintenance: Status.UNDER_MAINTENANCE,
};

const THEME_TO_PROTO: Record<Theme, WireTheme> = {
  system: WireTheme.SYSTEM,
  light: WireTheme.LIGHT,
  dark: WireTheme.DARK,
};

export const DOMAIN_STATUS_TO_PROTO: Record<CustomDomain['status'] | 'none', DomainStatus> = {
  none: DomainStatus.NONE,
  pending: DomainStatus.PENDING,
  active: DomainStatus.ACTIVE,
  failed: DomainStatus.FAILED,
};

export function statusToProto(status: ComponentStatus): Status {
  return STATUS_TO_PROTO[status];
}

/** @throws Error for a status that was not sent, or that this version does not know. */
export function statusFromProto(status: Status): ComponentStatus {
  const found = wordOf(STATUS_TO_PROTO, status);
  if (!found) throw new Error(`unknown component status ${status}`);
  return found;
}

function wordOf<Word extends string, Value>(words: Record<Word, Value>, value: Value): Word | undefined {
  return (Object.keys(words) as Word[]).find((word) => words[word] === value);
}

/** `url` is the page's public address. */
export function pageToProto(
  page: StatusPage,
  entries: readonly Entry[],
  url: string,
): MessageInitShape<typeof StatusPageSchema> {
  const { description, primaryColor, logoLightUrl, logoDarkUrl } = page;
  return {
    id: page.id,
    organizationId: page.organizationId,
    name: page.name,
    slug: page.slug,
    ...defined({ description, primaryColor, logoLightUrl, logoDarkUrl }),
    theme: THEME_TO_PROTO[page.theme],
    showThemeSwitcher: page.showThemeSwitcher,
    enabled: page.enabled,
    subscribersEnabled: page.subscribersEnabled,
    url,
    ...defined({ customDomain: page.domain?.name }),
    domainStatus: DOMAIN_STATUS_TO_PROTO[page.domain?.status ?? 'none'],
    entries: entries.map(entryToProto),
    createdAt: timestampFromDate(page.createdAt),
    updatedAt: timestampFromDate(page.updatedAt),
  };
}

function entryToProto(entry: Entry): MessageInitShape<typeof EntrySchema> {
  if (entry.kind === 'component') return { entry: { case: 'component', value: componentToProto(entry.component) } };
  return { entry: { case: 'group', value: groupToProto(entry.group, entry.components) } };
}

/** `components` are those of the group, in their order. */
export function groupToProto(
  { id, name, position, createdAt, updatedAt }: Group,
  components: readonly Component[],
): MessageInitShape<typeof GroupSchema> {
  return {
    id,
    name,
    position,
    components: components.map(componentToProto),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  };
}

export function componentToProto(component: Component): MessageInitShape<typeof ComponentSchema> {
  const { description, groupId } = component;
  return {
    id: component.id,
    name: component.name,
    ...defined({ description, componentGroupId: groupId }),
    position: component.position,
    monitors: component.monitors.map(({ monitorId, downStatus }) => ({
      monitorId,
      downStatus: statusToProto(downStatus),
    })),
    status: statusToProto(component.status),
    createdAt: timestampFromDate(component.createdAt),
    updatedAt: timestampFromDate(component.updatedAt),
  };
}

export function settingsFromProto(request: CreateStatusPageRequest): PageSettings {
  const { name, slug, description, primaryColor, logoLightUrl, logoDarkUrl } = request;
  const { showThemeSwitcher, enabled, subscribersEnabled } = request;
  return {
    ...{ name, slug, description, primaryColor, logoLightUrl, logoDarkUrl },
    ...{ showThemeSwitcher, enabled, subscribersEnabled },
    theme: wordOf(THEME_TO_PROTO, request.theme) ?? 'system',
  };
}

/** Only what was sent; a cleared text is there and undefined. */
export function changesFromProto(request: UpdateStatusPageRequest): Partial<PageSettings> {
  const { name, slug, description, primaryColor, logoLightUrl, logoDarkUrl } = request;
  const { showThemeSwitcher, enabled, subscribersEnabled } = request;
  return {
    ...defined({ name, slug, theme: wordOf(THEME_TO_PROTO, request.theme) }),
    ...defined({ showThemeSwitcher, enabled, subscribersEnabled }),
    ...(description && { description: description.value }),
    ...(primaryColor && { primaryColor: primaryColor.value }),
    ...(logoLightUrl && { logoLightUrl: logoLightUrl.value }),
    ...(logoDarkUrl && { logoDarkUrl: logoDarkUrl.value }),
  };
}

export function entryFromProto({ entry }: EntryInput): WantedEntry {
  switch (entry.case) {
    case 'group': {
      const { id, name, components } = entry.value;
      return { kind: 'group', id: id?.toLowerCase(), name, components: components.map(componentFromProto) };
    }
    case 'component':
      return { kind: 'component', ...componentFromProto(entry.value) };
    default:
      return { kind: 'unknown' };
  }
}

/** UUIDs are compared as text, so they are spelled one way (RFC 9562 §4: lower case). */
function componentFromProto({ id, name, description, monitors }: ComponentInput): WantedComponent {
  return { id: id?.toLowerCase(), name, description, monitors: linksFromProto(monitors) };
}

/** A down status that this version does not know counts as not sent. */
export function linksFromProto(links: readonly LinkMessage[]): MonitorLink[] {
  return links.map(({ monitorId, downStatus }) => ({
    monitorId: monitorId.toLowerCase(),
    downStatus: wordOf(STATUS_TO_PROTO, downStatus) ?? 'major_outage',
  }));
}

/** Without the properties that are undefined. */
export function defined<Values extends object>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Values]?: NonNullable<Values[Name]> };
}
