import type { DisruptionImpact } from '@tocsin/enums';
import type { PublicPage } from '../../app/get-public-page.ts';
import { affectedOn, type ShownDisruption } from '../../domain/disruption.ts';
import { lastChangeOf, type PageView } from '../../domain/page-view.ts';
import type { PageStatus, ShownStatus } from '../../domain/shown-status.ts';
import { groupStatus } from '../../domain/shown-status.ts';
import { type Component, componentsOf, type Group } from '../../domain/tree.ts';
import { type Texts, textsOf } from '../messages/texts.ts';
import { publicText, publicTitle } from '../public-texts.ts';

/** Programs compare the texts of the API, so the texts are in English for pages in all languages. */
const ENGLISH = textsOf('en');

/** A page and its derived statuses, from which the machine-readable formats are rendered. */
export interface Shown {
  readonly content: PublicPage;
  readonly view: PageView;
  /** Absolute URL of the page, without a slash at the end. */
  readonly url: string;
  readonly texts: Texts;
}

/** Documents of the Statuspage API v2, by their path below `api/v2/`. Source: https://metastatuspage.com/api */
export const STATUSPAGE_V2: Readonly<Record<string, (shown: Shown) => object>> = {
  'summary.json': (shown) => ({
    page: pageJson(shown),
    components: componentsJson(shown),
    incidents: incidentsJson(shown, isUnresolved),
    scheduled_maintenances: maintenancesJson(shown, isUnresolved),
    status: statusJson(shown.view.status),
  }),
  'status.json': (shown) => ({ page: pageJson(shown), status: statusJson(shown.view.status) }),
  'components.json': (shown) => ({ page: pageJson(shown), components: componentsJson(shown) }),
  'incidents.json': (shown) => ({ page: pageJson(shown), incidents: incidentsJson(shown) }),
  'incidents/unresolved.json': (shown) => ({ page: pageJson(shown), incidents: incidentsJson(shown, isUnresolved) }),
  'scheduled-maintenances.json': (shown) => ({
    page: pageJson(shown),
    scheduled_maintenances: maintenancesJson(shown),
  }),
  'scheduled-maintenances/upcoming.json': (shown) => ({
    page: pageJson(shown),
    scheduled_maintenances: maintenancesJson(shown, ({ status }) => status === 'scheduled'),
  }),
  'scheduled-maintenances/active.json': (shown) => ({
    page: pageJson(shown),
    scheduled_maintenances: maintenancesJson(shown, ({ status }) => status === 'in_progress'),
  }),
};

function pageJson({ content: { page, entries, disruptions }, url }: Shown): object {
  const updatedAt = lastChangeOf(page, entries.flatMap(componentsOf), disruptions.shown);
  return { id: page.id, name: page.name, url, time_zone: 'Etc/UTC', updated_at: updatedAt.toISOString() };
}

/**
 * Indicator of each status. A page without components, and a page whose components have no known status, has the
 * indicator `unknown`, which v2 does not define.
 */
const INDICATORS: Readonly<Record<PageStatus, string>> = {
  operational: 'none',
  under_maintenance: 'maintenance',
  degraded_performance: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
  partly_known: 'unknown',
  no_data: 'unknown',
  not_monitored: 'unknown',
  no_components: 'unknown',
};

function statusJson(status: PageStatus): object {
  return { indicator: INDICATORS[status], description: ENGLISH.text(`headline.${status}`) };
}

function componentStatus(status: ShownStatus): string {
  return status === 'no_data' || status === 'not_monitored' ? 'unknown' : status;
}

/**
 * Returns groups and components in the order of the page. A group is listed as a component that contains the ids of its
 * members. Empty groups are omitted.
 */
function componentsJson({ content: { page, entries }, view }: Shown): object[] {
  const statusOf = ({ id }: Component) => view.statuses.get(id) ?? 'no_data';
  const common = (entry: Group | Component, components: readonly Component[]) => ({
    id: entry.id,
    name: entry.name,
    position: entry.position + 1,
    created_at: entry.createdAt.toISOString(),
    updated_at: lastChange(entry, components).toISOString(),
    page_id: page.id,
    showcase: false,
    only_show_if_degraded: false,
  });
  const single = (component: Component) => ({
    ...common(component, [component]),
    status: componentStatus(statusOf(component)),
    description: component.description ?? null,
    start_date: component.startDate ?? null,
    group_id: component.groupId ?? null,
    group: false,
  });
  return entries.flatMap((entry) => {
    if (entry.kind === 'component') return [single(entry.component)];
    const { group, components } = entry;
    if (components.length === 0) return [];
    const parent = {
      ...common(group, components),
      status: componentStatus(groupStatus(components.map(statusOf))),
      description: null,
      start_date: null,
      group_id: null,
      group: true,
      components: components.map(({ id }) => id),
    };
    return [parent, ...components.map(single)];
  });
}

/** Returns the time at which an entry of the page or the status of one of these components last changed. */
function lastChange({ updatedAt }: Group | Component, components: readonly Component[]): Date {
  return new Date(Math.max(...[updatedAt, ...components.map((each) => each.statusChangedAt)].map(Number)));
}

const IMPACTS: Readonly<Record<DisruptionImpact, string>> = { minor: 'minor', major: 'major', critical: 'critical' };

type Condition = (disruption: ShownDisruption) => boolean;

const isUnresolved: Condition = ({ resolvedAt }) => resolvedAt === undefined;

function incidentsJson(shown: Shown, condition: Condition = () => true): object[] {
  const incidents = shown.content.disruptions.shown.filter(({ type }) => type !== 'maintenance');
  return incidents.filter(condition).map((incident) => disruptionJson(shown, incident, IMPACTS[incident.impact]));
}

function maintenancesJson(shown: Shown, condition: Condition = () => true): object[] {
  const maintenances = shown.content.disruptions.shown.filter(({ type }) => type === 'maintenance');
  return maintenances.filter(condition).map((maintenance) => ({
    ...disruptionJson(shown, maintenance, 'maintenance'),
    scheduled_for: maintenance.startedAt.toISOString(),
    scheduled_until: maintenance.endsAt?.toISOString() ?? null,
  }));
}

function disruptionJson(shown: Shown, disruption: ShownDisruption, impact: string): object {
  const { page } = shown.content;
  const { id, status, createdAt, updatedAt, startedAt, resolvedAt, updates } = disruption;
  const affected = affectedOn(disruption, page.id);
  const monitoringSince = updates.findLast((update) => update.status === 'monitoring')?.postedAt;
  return {
    id,
    name: publicTitle(disruption, affected, ENGLISH),
    status,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    monitoring_at: monitoringSince?.toISOString() ?? null,
    resolved_at: resolvedAt?.toISOString() ?? null,
    impact,
    shortlink: `${shown.url}/incidents/${id}`,
    started_at: startedAt.toISOString(),
    page_id: page.id,
    incident_updates: updates.map((update) => ({
      id: update.id,
      status: update.status,
      body: publicText(disruption, update, affected, ENGLISH).text,
      incident_id: id,
      created_at: update.postedAt.toISOString(),
      updated_at: (update.editedAt ?? update.postedAt).toISOString(),
      display_at: update.postedAt.toISOString(),
      affected_components: null,
      deliver_notifications: !update.silent,
      custom_tweet: null,
      tweet_id: null,
    })),
    components: affected.map(({ id: componentId, name, status: caused }) => ({
      id: componentId,
      name,
      status: resolvedAt ? 'operational' : caused,
    })),
  };
}
