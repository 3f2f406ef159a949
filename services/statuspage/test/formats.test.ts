import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually, manualClock } from '@tocsin/testing';
import { Ajv } from 'ajv';
import ICAL from 'ical.js';
import RssParser from 'rss-parser';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATUSPAGE_V2 } from '../src/web/formats/statuspage-v2.ts';
import { LOOKS } from '../src/web/status-colors.ts';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, group, statusPageFixture } from './statuspage-fixture.ts';
import { STATUSPAGE_V2_SCHEMAS } from './statuspage-v2-schema.ts';

const NASTY = '<script>alert("1")</script> & \'more\'';
const NOW = '2026-01-10T12:00:00.000Z';

const fixture = await statusPageFixture({ now: manualClock(NOW).now });
afterAll(() => fixture[Symbol.asyncDispose]());
const organizationId = v7();
const at = (time: string) => timestampFromDate(new Date(time));

interface Page {
  readonly url: string;
  readonly publicUrl: string;
  readonly ids: Record<string, string>;
}
let page: Page;
const disruptions: Record<'open' | 'over' | 'planned' | 'running', string> = {
  open: '',
  over: '',
  planned: '',
  running: '',
};

async function createPage(enabled = true): Promise<{ id: string; slug: string }> {
  const slug = freshSlug();
  const us = await fixture.as(organizationId);
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme & <Sons>', slug, enabled }, us);
  return { id: statusPage?.id ?? '', slug };
}

const read = (path: string) => fetch(`${page.url}/${path}`);

interface V2Document {
  readonly page: object;
  readonly status: object;
  readonly components: { readonly id: string; readonly components: readonly string[] }[];
  readonly incidents: { readonly components: readonly object[] }[];
  readonly scheduled_maintenances: { readonly id: string }[];
}

async function readJson(path: string): Promise<V2Document> {
  return (await (await read(`api/v2/${path}`)).json()) as V2Document;
}

/** Creates a page with a group and with a disruption of each kind. */
beforeAll(async () => {
  const { id, slug } = await createPage();
  const us = await fixture.as(organizationId);
  const entries = [
    group('Core', [{ name: 'API', description: 'api.example.com' }, { name: 'Queue' }]),
    component({ name: 'Website' }),
  ];
  const { statusPage } = await fixture.rpc.replaceStructure({ id, entries }, us);
  const found = componentsByName(statusPage?.entries);
  const ids = Object.fromEntries(Object.entries(found).map(([name, one]) => [name, one.id]));
  page = { url: `${fixture.url}/s/${slug}`, publicUrl: `http://tocsin.test/s/${slug}`, ids };
  const touched = (name: string, status: ComponentStatus) => [{ id: ids[name] ?? '', name, statusPageId: id, status }];
  const { PARTIAL_OUTAGE, MAJOR_OUTAGE, UNDER_MAINTENANCE, OPERATIONAL } = ComponentStatus;
  const MAINTENANCE = { type: DisruptionType.MAINTENANCE };
  const all = {
    open: aDisruption(organizationId, touched('API', PARTIAL_OUTAGE), {
      title: NASTY,
      startedAt: at('2026-01-10T11:00:00Z'),
      status: DisruptionStatus.MONITORING,
      updates: [
        {
          id: v7(),
          status: DisruptionStatus.MONITORING,
          body: `Fixed.\n${NASTY}`,
          postedAt: at('2026-01-10T11:30:00Z'),
          postedBy: 'jane@example.com',
        },
        {
          id: v7(),
          status: DisruptionStatus.INVESTIGATING,
          body: 'We investigate.',
          postedAt: at('2026-01-10T11:00:00Z'),
          postedBy: 'jane@example.com',
        },
      ],
    }),
    // The disruption ended so long ago that the page no longer shows it.
    over: aDisruption(organizationId, touched('Queue', MAJOR_OUTAGE), {
      title: 'Queue was full',
      impact: DisruptionImpact.CRITICAL,
      startedAt: at('2025-12-01T00:00:00Z'),
    }),
    planned: aDisruption(organizationId, touched('Website', UNDER_MAINTENANCE), {
      ...MAINTENANCE,
      title: 'New disks',
      status: DisruptionStatus.SCHEDULED,
      startedAt: at('2026-02-01T00:00:00Z'),
      endsAt: at('2026-02-01T02:00:00Z'),
    }),
    running: aDisruption(organizationId, touched('Website', OPERATIONAL), {
      ...MAINTENANCE,
      title: 'New cables',
      status: DisruptionStatus.IN_PROGRESS,
      startedAt: at('2026-01-10T11:59:00Z'),
    }),
  };
  for (const [name, { id: disruptionId }] of Object.entries(all)) {
    disruptions[name as keyof typeof disruptions] = disruptionId;
  }
  await fixture.publish(...Object.values(all).map((one) => one.created()), all.over.resolved('2025-12-01T01:00:00Z'));
  await eventually(async () => {
    expect((await readJson('incidents.json')).incidents).toHaveLength(2);
    expect((await readJson('scheduled-maintenances.json')).scheduled_maintenances).toHaveLength(2);
    expect((await readJson('incidents/unresolved.json')).incidents).toHaveLength(1);
  });
});

describe('API v2', () => {
  const ajv = new Ajv({ allErrors: true });

  test('it serves exactly the documents that its description lists', () => {
    expect(Object.keys(STATUSPAGE_V2).sort()).toEqual(Object.keys(STATUSPAGE_V2_SCHEMAS).sort());
  });

  test.each(Object.entries(STATUSPAGE_V2_SCHEMAS))(
    'the document %s of API v2 has the documented fields',
    async (path, schema) => {
      const response = await read(`api/v2/${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('cache-control')).toContain('max-age=30');
      const validate = ajv.compile(schema);
      validate(await response.json());
      expect(validate.errors ?? []).toEqual([]);
    },
  );

  test('the summary has the status, the components in order with their groups, and the open disruptions', async () => {
    const summary = await readJson('summary.json');
    expect(summary.page).toMatchObject({ name: 'Acme & <Sons>', url: page.publicUrl });
    expect(summary.status).toEqual({ indicator: 'major', description: 'Partial outage' });
    const [core] = summary.components;
    expect(core).toMatchObject({ name: 'Core', group: true, status: 'partial_outage', position: 1 });
    expect(core?.components).toEqual([page.ids.API, page.ids.Queue]);
    expect(summary.components.slice(1)).toMatchObject([
      { name: 'API', group: false, group_id: core?.id, status: 'partial_outage', description: 'api.example.com' },
      { name: 'Queue', group_id: core?.id, status: 'operational', position: 2 },
      { name: 'Website', group_id: null, position: 2 },
    ]);
    expect(summary.incidents).toMatchObject([{ id: disruptions.open, impact: 'major', status: 'monitoring' }]);
    expect(summary.scheduled_maintenances.map(({ id }) => id).sort()).toEqual(
      [disruptions.planned, disruptions.running].sort(),
    );
  });

  test('an incident has its timeline, newest entry first, and a link to its page', async () => {
    const { incidents } = await readJson('incidents.json');
    const [open, over] = incidents;
    expect(open).toMatchObject({
      shortlink: `${page.publicUrl}/incidents/${disruptions.open}`,
      monitoring_at: '2026-01-10T11:30:00.000Z',
      components: [{ id: page.ids.API, name: 'API', status: 'partial_outage' }],
      incident_updates: [{ body: `Fixed.\n${NASTY}` }, { body: 'We investigate.' }],
    });
    expect(over).toMatchObject({ impact: 'critical', resolved_at: '2025-12-01T01:00:00.000Z' });
    expect(over?.components).toMatchObject([{ status: 'operational' }]);
    expect(JSON.stringify(incidents)).not.toContain('jane@example.com');
  });

  test('planned and active maintenances have their own lists', async () => {
    const upcoming = await readJson('scheduled-maintenances/upcoming.json');
    expect(upcoming.scheduled_maintenances).toMatchObject([
      {
        id: disruptions.planned,
        scheduled_for: '2026-02-01T00:00:00.000Z',
        scheduled_until: '2026-02-01T02:00:00.000Z',
      },
    ]);
    const active = await readJson('scheduled-maintenances/active.json');
    expect(active.scheduled_maintenances).toMatchObject([{ id: disruptions.running, scheduled_until: null }]);
  });
});

describe('feeds', () => {
  test.each(['history.rss', 'history.atom'])('a feed parser reads %s', async (path) => {
    const response = await read(path);
    expect(response.headers.get('content-type')).toContain(path.endsWith('rss') ? 'rss+xml' : 'atom+xml');
    const feed = await new RssParser().parseString(await response.text());
    expect(feed.title).toBe('Acme & <Sons> status');
    expect(feed.items.map(({ title }) => title)).toEqual([NASTY, 'New disks', 'New cables', 'Queue was full']);
    const [first, planned] = feed.items;
    expect(planned?.content).toContain('Website');
    expect(planned?.content).toMatch(/1 Feb 2026, 00:00 UTC.*02:00/s);
    expect(first?.link).toBe(`${page.publicUrl}/incidents/${disruptions.open}`);
    expect(first?.content).toContain('<strong>Monitoring</strong>');
    expect(first?.content).toContain('&lt;script&gt;');
    expect(first?.content).not.toContain('<script>');
  });

  test('the feed of a component has only the disruptions that affect it', async () => {
    for (const path of ['history.rss', 'history.atom']) {
      const response = await read(`components/${page.ids.Queue}/${path}`);
      const feed = await new RssParser().parseString(await response.text());
      expect(feed.title).toBe('Acme & <Sons> status: Queue');
      expect(feed.items.map(({ title }) => title)).toEqual(['Queue was full']);
    }
  });
});

test('a calendar program reads the maintenances that are planned or in progress', async () => {
  const response = await read('maintenance.ics');
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const calendar = new ICAL.Component(ICAL.parse(await response.text()));
  const events = calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  expect(
    events.map((event) => [event.uid, event.summary, event.startDate.toString(), event.endDate.toString()]).sort(),
  ).toEqual(
    [
      [disruptions.planned, 'New disks', '2026-02-01T00:00:00Z', '2026-02-01T02:00:00Z'],
      [disruptions.running, 'New cables', '2026-01-10T11:59:00Z', '2026-01-10T12:59:00Z'],
    ].sort(),
  );
});

test('badges show the status of the page and of a component', async () => {
  const ofPage = await read('badge.svg');
  expect(ofPage.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
  expect(ofPage.headers.get('content-security-policy')).toContain("default-src 'none'");
  const text = await ofPage.text();
  expect(text).toContain('Partial outage');
  expect(text).toContain('Acme &amp; &lt;Sons&gt;');
  expect(text).not.toContain('<Sons>');
  expect(await (await read(`components/${page.ids.Queue}/badge.svg`)).text()).toContain('Operational');
});

test.each(LOOKS)('the preview image of %s has 1200 x 630 pixels and at most 20 kB', async (look) => {
  const response = await read(`preview/${look}.png`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('cache-control')).toMatch(/^public, max-age=86400,/);
  const image = Buffer.from(await response.arrayBuffer());
  // A PNG header has the width and height at fixed offsets (RFC 2083 §11.2.1).
  expect([image.toString('latin1', 1, 4), image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual(['PNG', 1200, 630]);
  expect(image.length).toBeLessThanOrEqual(20_000);
});

test('search engines get the sitemap', async () => {
  const map = await (await read('sitemap.xml')).text();
  const addresses = [...map.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address);
  expect(addresses.slice(0, 2)).toEqual([page.publicUrl, `${page.publicUrl}/history`]);
  expect(addresses).toContain(`${page.publicUrl}/components/${page.ids.Queue}`);
  expect(await (await read('robots.txt')).text()).toContain(`Sitemap: ${page.publicUrl}/sitemap.xml`);
});

test.each([
  'api/v2/nothing.json',
  'preview/no_data.png',
  'preview/operational.svg',
  'api/v2/toString',
  'api/v2/',
  'constructor',
  'components/01920000-0000-7000-8000-000000000000/badge.svg',
  'components/x/history.rss',
  'components/x/constructor',
  'components//badge.svg',
])('the path %s below a page returns a 404', async (path) => {
  expect((await read(path)).status).toBe(404);
});

test('each resource of a disabled page returns a 404', async () => {
  const { slug } = await createPage(false);
  for (const path of ['api/v2/summary.json', 'history.rss', 'badge.svg']) {
    expect((await fetch(`${fixture.url}/s/${slug}/${path}`)).status).toBe(404);
  }
});

test('a request with the ETag of an unchanged resource gets a 304', async () => {
  const etag = (await read('history.atom')).headers.get('etag') ?? '';
  const again = await fetch(`${page.url}/history.atom`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
});
