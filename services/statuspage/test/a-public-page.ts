import type { ComponentStatus } from '@tocsin/enums';
import { seededRandom } from '@tocsin/testing';
import type { PageHistory } from '../src/app/get-page-history.ts';
import type { PublicPage } from '../src/app/get-public-page.ts';
import { dayBars, type StatusInterval } from '../src/domain/day-bars.ts';
import type { ShownDisruption } from '../src/domain/disruption.ts';
import type { StatusPage } from '../src/domain/page.ts';
import type { Component, Entry } from '../src/domain/tree.ts';

const NOW = new Date('2026-03-10T14:20:00Z');
const NAMES = ['Website', 'Dashboard', 'Mobile apps', 'Checkout', 'Public API', 'Webhooks', 'Search', 'Object storage'];

const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const PAGE: StatusPage = {
  id: 'page',
  organizationId: 'organization',
  name: 'Northwind',
  slug: 'northwind',
  description: 'Everything that runs Northwind, and how it is doing.',
  theme: 'system',
  primaryColor: '#6d28d9',
  logoLightUrl: undefined,
  logoDarkUrl: undefined,
  showThemeSwitcher: true,
  enabled: true,
  subscribersEnabled: true,
  showUptime: true,
  homepageUrl: undefined,
  supportUrl: undefined,
  locale: 'en',
  noindex: false,
  domain: undefined,
  domainToken: 'token',
  createdAt: ago(200 * 1440),
  updatedAt: ago(1440),
};

interface Options {
  readonly components: number;
  /** Number of components, starting with the first one, that the open disruption affects. Defaults to 0. */
  readonly affected?: number;
  readonly page?: Partial<StatusPage>;
}

/**
 * Returns the content and history of a public page, and the time at which it is viewed. The page has groups of up to 15
 * components, each with a history of some outages.
 */
export function aPublicPage({ components: count, affected = 0, page = {} }: Options): {
  content: PublicPage;
  history: PageHistory;
  now: Date;
} {
  const random = seededRandom('history of a public page');
  const statusOf = (index: number): ComponentStatus => {
    if (index >= affected) return 'operational';
    return index % 3 === 0 ? 'major_outage' : index % 3 === 1 ? 'partial_outage' : 'degraded_performance';
  };
  const components = Array.from({ length: count }, (_, index): Component => {
    const round = Math.floor(index / NAMES.length);
    return {
      id: `c${index}`,
      groupId: `g${Math.floor(index / 15)}`,
      name: `${NAMES[index % NAMES.length]}${round > 0 ? ` ${round + 1}` : ''}`,
      description: index % 3 === 0 ? 'Marketing pages and the help center' : undefined,
      position: index % 15,
      monitors: [],
      startDate: undefined,
      status: statusOf(index),
      statusChangedAt: ago(38),
      createdAt: ago(100 * 1440),
      updatedAt: ago(1440),
    };
  });
  const entries: Entry[] = [...Map.groupBy(components, ({ groupId }) => groupId ?? '')].map(([id, members], index) => ({
    kind: 'group',
    group: {
      id,
      name: `Region ${index + 1}`,
      position: index,
      defaultOpen: undefined,
      createdAt: NOW,
      updatedAt: ago(1440),
    },
    components: members,
  }));
  const history = new Map(
    components.map(({ id, status }, index) => [
      id,
      dayBars(intervalsOf(status, index, random), [], { days: 90, now: NOW }),
    ]),
  );
  const shown = [
    ...(affected > 0 ? [anOutage(components.slice(0, affected))] : []),
    aMaintenance(components.slice(-1)),
    ...pastDisruptions(components.slice(0, 2)),
  ];
  return {
    content: {
      page: { ...PAGE, ...page },
      entries,
      disruptions: { shown, omittedOpen: 0, omittedEnded: 0 },
      monitors: new Map(),
      lastChecks: { kind: 'none' },
      logos: {},
      unchangedMs: 3_600_000,
      validMs: 60_000,
    },
    history,
    now: NOW,
  };
}

function intervalsOf(status: ComponentStatus, index: number, random: () => number): StatusInterval[] {
  const outages = Array.from({ length: index % 4 }, () => 2000 + Math.floor(random() * 85 * 1440)).sort(
    (a, b) => b - a,
  );
  const statuses = ['degraded_performance', 'partial_outage', 'major_outage'] as const;
  const intervals: StatusInterval[] = [];
  let began = ago((index % 7 === 5 ? 30 : 95) * 1440);
  for (const outage of outages) {
    const startedAt = ago(outage);
    if (startedAt <= began) continue;
    const endedAt = ago(outage - 5 - Math.floor(random() * 120));
    const shown = statuses[Math.floor(random() * 3)] ?? 'major_outage';
    intervals.push({ status: 'operational', startedAt: began, endedAt: startedAt });
    intervals.push({ status: shown, startedAt, endedAt });
    began = endedAt;
  }
  if (status === 'operational') return [...intervals, { status, startedAt: began, endedAt: undefined }];
  intervals.push({ status: 'operational', startedAt: began, endedAt: ago(38) });
  return [...intervals, { status, startedAt: ago(38), endedAt: undefined }];
}

const DISRUPTION: Omit<ShownDisruption, 'id' | 'title' | 'components' | 'updates'> = {
  organizationId: 'organization',
  automaticTitle: false,
  type: 'disruption',
  status: 'identified',
  impact: 'major',
  autoCreated: false,
  startedAt: ago(38),
  endsAt: undefined,
  resolvedAt: undefined,
  hasOlderUpdates: false,
  omittedComponents: 0,
  statusPageIds: ['page'],
  createdAt: ago(38),
  updatedAt: ago(18),
};

const BY_A_PERSON = { automatic: false, automaticText: undefined, editedAt: undefined, silent: false };

function affects(components: readonly Component[]) {
  return components.map(({ id, name, status }) => ({ id, name, status, statusPageId: 'page' }));
}

function anOutage(components: readonly Component[]): ShownDisruption {
  const update = (id: string, status: 'identified' | 'investigating', minutes: number, body: string) => ({
    id,
    status,
    body,
    ...BY_A_PERSON,
    postedAt: ago(minutes),
  });
  return {
    ...DISRUPTION,
    id: 'outage',
    title: 'Uploads above 100 MB fail sometimes',
    components: affects(components),
    updates: [
      update('u3', 'identified', 18, 'Half of the data has moved. We expect recovery within the hour.'),
      update('u2', 'identified', 27, 'A disk of the storage cluster has failed. We are moving its data.'),
      update('u1', 'investigating', 38, 'We are investigating errors in uploads.'),
    ],
  };
}

function aMaintenance(components: readonly Component[]): ShownDisruption {
  return {
    ...DISRUPTION,
    id: 'maintenance',
    title: 'New database version',
    type: 'maintenance',
    status: 'scheduled',
    startedAt: ago(-3 * 1440),
    endsAt: ago(-3 * 1440 - 90),
    components: affects(components).map((component) => ({ ...component, status: 'under_maintenance' })),
    updates: [
      { id: 'm1', status: 'scheduled', body: 'Writes pause for a minute.', ...BY_A_PERSON, postedAt: ago(600) },
    ],
  };
}

function pastDisruptions(components: readonly Component[]): ShownDisruption[] {
  return [1500, 1600, 6000].map((minutes, index) => ({
    ...DISRUPTION,
    id: `past-${index}`,
    title: ['Slow search', 'Webhooks were late', 'Login failed for some customers'][index] ?? '',
    status: 'resolved',
    startedAt: ago(minutes),
    resolvedAt: ago(minutes - 39),
    components: affects(components),
    updates: [
      { id: `p${index}`, status: 'resolved', body: 'This is resolved.', ...BY_A_PERSON, postedAt: ago(minutes - 39) },
    ],
  }));
}
