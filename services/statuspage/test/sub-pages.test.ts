import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { showAsOf } from '@tocsin/html';
import { DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture({ now: manualClock('2026-03-10T12:00:00Z').now });
afterAll(() => fixture[Symbol.asyncDispose]());
const organizationId = v7();
const at = (time: string) => timestampFromDate(new Date(time));

let url = '';
let path = '';
let api = '';
let january: ReturnType<typeof aDisruption>;
let elsewhere: ReturnType<typeof aDisruption>;

async function textOf(below: string): Promise<string> {
  const response = await fetch(`${url}/${below}`);
  expect(response.status, below).toBe(200);
  return response.text();
}

async function createPage(...names: string[]) {
  const us = await fixture.as(organizationId);
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  const id = statusPage?.id ?? '';
  const entries = names.map((name) => component({ name }));
  const replaced = await fixture.rpc.replaceStructure({ id, entries }, us);
  const touched = (name: string) => {
    const componentId = componentsByName(replaced.statusPage?.entries)[name]?.id ?? '';
    return [{ id: componentId, name, statusPageId: id, status: ComponentStatus.MAJOR_OUTAGE }];
  };
  return { slug, touched };
}

beforeAll(async () => {
  const page = await createPage('API', 'Web');
  const other = await createPage('Other');
  path = `/s/${page.slug}`;
  url = `${fixture.url}${path}`;
  api = page.touched('API')[0]?.id ?? '';
  const updates = Array.from({ length: 30 }, (_, index) => ({
    id: v7(),
    status: DisruptionStatus.INVESTIGATING,
    body: `Entry ${30 - index}.`,
    postedAt: at('2026-01-05T10:00:00Z'),
    postedBy: 'jane@example.com',
  }));
  january = aDisruption(organizationId, page.touched('API'), {
    title: 'API <was> slow',
    startedAt: at('2026-01-05T10:00:00Z'),
    updates,
  });
  elsewhere = aDisruption(organizationId, other.touched('Other'), { title: 'On another page' });
  const february = aDisruption(organizationId, page.touched('Web'), {
    title: 'Web was gone',
    startedAt: at('2026-02-28T23:00:00Z'),
  });
  await fixture.publish(
    january.created(),
    january.resolved('2026-01-05T11:00:00Z'),
    february.created(),
    february.resolved('2026-03-01T01:00:00Z'),
    elsewhere.created(),
  );
  await eventually(async () => {
    expect(await textOf('history/2026-02')).toContain('Web was gone');
    expect(await textOf('history/2026-01')).toContain('lasted 1 h');
  });
});

test('a disruption has a permanent page with its whole timeline', async () => {
  const text = await textOf(`incidents/${january.id}`);
  expect(text).toContain('<title>API &lt;was&gt; slow · Acme</title>');
  for (const entry of ['Entry 1.', 'Entry 30.']) expect(text).toContain(entry);
  expect(text).toContain(`<a href="${path}"><bdi>Acme</bdi></a>`);
  expect(text).not.toContain('jane@example.com');
});

test('each month has a page with the disruptions that were open in that month', async () => {
  const [first, second, third] = [
    await textOf('history/2026-01'),
    await textOf('history/2026-02'),
    await textOf('history'),
  ];
  expect([first, second, third].map((text) => text.includes('API &lt;was&gt; slow'))).toEqual([true, false, false]);
  expect([first, second, third].map((text) => text.includes('Web was gone'))).toEqual([false, true, true]);
  expect(second).toContain(`href="${path}/history/2026-01"`);
  expect(second).toContain(`href="${path}/history/2026-03"`);
  expect(third).toContain('History of March 2026');
  expect(third).not.toContain(`${path}/history/2026-04`);
  expect(await textOf('history/2025-12')).toContain('Nothing was reported.');
});

test('a maintenance that is called off is in the month in which it was called off, with its planned period', async () => {
  const page = await createPage('API');
  const base = `${fixture.url}/s/${page.slug}/history`;
  const calledOff = aDisruption(organizationId, page.touched('API'), {
    title: 'New disks',
    type: DisruptionType.MAINTENANCE,
    status: DisruptionStatus.COMPLETED,
    startedAt: at('2026-04-10T02:00:00Z'),
    endsAt: at('2026-04-10T04:00:00Z'),
    resolvedAt: at('2026-02-20T12:00:00Z'),
  });
  await fixture.publish(calledOff.created());
  const text = await eventually(async () => {
    const shown = await (await fetch(`${base}/2026-02`)).text();
    expect(shown).toContain('New disks');
    return shown.replaceAll(/<[^>]+>/g, '');
  });
  expect(text).toContain('Maintenance · 10 Apr 2026, 02:00 UTC – 04:00 UTC');
  for (const month of ['2026-01', '2026-03']) {
    expect(await (await fetch(`${base}/${month}`)).text()).not.toContain('New disks');
  }
});

test('a component has a page with its status and its disruptions', async () => {
  const text = await textOf(`components/${api}`);
  expect(text).toContain('Operational');
  expect(text).toContain('API &lt;was&gt; slow');
  expect(text).not.toContain('Web was gone');
});

test('the oldest month with a page is five years before the current month', async () => {
  expect(await textOf('history/2021-03')).not.toContain('history/2021-02');
});

test.each([
  'history/2021-02',
  'history/2026-04',
  'history/2026-13',
  'history/2026-1',
  'history/2026-01/x',
  'incidents',
  'incidents/x',
  'incidents/01920000-0000-7000-8000-000000000000',
  'components/01920000-0000-7000-8000-000000000000',
])('the path %s below a page returns a 404', async (below) => {
  expect((await fetch(`${url}/${below}`)).status).toBe(404);
});

test('the page for a disruption of another page says that nothing is there, and links to the status page', async () => {
  const response = await fetch(`${url}/incidents/${elsewhere.id}`);
  expect(response.status).toBe(404);
  const text = await response.text();
  expect(text).toContain('There is nothing at this address');
  expect(text).toContain(`<a href="${path}">Current status</a>`);
});

test('the status page and each page below it contain one hidden notice that they may be outdated', async () => {
  for (const below of ['', `incidents/${january.id}`, 'history/2026-01', `components/${api}`, 'embed']) {
    const text = await textOf(below);
    expect(text.split('class="card as-of" role="status" hidden>'), below).toHaveLength(2);
    expect(showAsOf(text, new Date('2026-03-10T12:00:00Z'))).toContain('2026-03-10 12:00 UTC');
  }
});

test('any site may embed the /embed document of a page, but no other document', async () => {
  const policyOf = async (below: string) =>
    (await fetch(`${url}${below}`)).headers.get('content-security-policy')?.split('; ').at(-1);
  expect(await policyOf('/embed')).toBe('frame-ancestors *');
  for (const below of ['', `/incidents/${january.id}`, '/history', `/components/${api}`, '/embed/x']) {
    expect(await policyOf(below), below).toBe("frame-ancestors 'none'");
  }
  const text = await textOf('embed');
  expect(text).toContain(`<a href="${path}" target="_blank" rel="noopener">`);
  expect(text).toContain('All systems operational');
  expect(text).toContain('<meta name="robots" content="noindex">');
});

test('a link preview has the status image', async () => {
  const imageOf = (text: string) => /<meta property="og:image" content="([^"]*)">/.exec(text)?.[1];
  const publicUrl = `http://tocsin.test${path}`;
  for (const below of ['', `/incidents/${january.id}`, `/components/${api}`]) {
    const text = await (await fetch(`${url}${below}`)).text();
    expect(imageOf(text), below).toBe(`${publicUrl}/preview/operational.png`);
    expect(text).toContain('<meta name="twitter:card" content="summary_large_image">');
  }
  expect(imageOf(await textOf('history'))).toBeUndefined();
});

test('each document has a canonical link to its preferred URL', async () => {
  const publicUrl = `http://tocsin.test${path}`;
  for (const [below, preferred] of [
    ['', ''],
    ['history', '/history/2026-03'],
    ['history/2026-01', '/history/2026-01'],
    [`incidents/${january.id}`, `/incidents/${january.id}`],
    [`components/${api.toUpperCase()}`, `/components/${api}`],
  ] as const) {
    expect(await textOf(below), below).toContain(`<link rel="canonical" href="${publicUrl}${preferred}">`);
  }
});
