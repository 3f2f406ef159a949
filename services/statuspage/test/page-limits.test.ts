import type { ComponentStatus } from '@tocsin/enums';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { type Disruption, PAGE_LIMITS } from '../src/domain/disruption.ts';
import { listPageDisruptions, saveDisruption } from '../src/storage/disruption-store.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const NOW = new Date('2026-01-15T00:00:00Z');
const SINCE = new Date('2026-01-01T00:00:00Z');
const fixture = await statusPageFixture({ now: () => NOW });
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

const minute = (number: number) => new Date(SINCE.getTime() + number * 60_000);

/** Creates a page. Returns functions that store disruptions of the page, and read the disruptions that it shows. */
async function createPage(...names: string[]) {
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  const pageId = statusPage?.id ?? '';
  const entries = names.map((name) => component({ name }));
  const replaced = await fixture.rpc.replaceStructure({ id: pageId, entries }, us);
  const components = componentsByName(replaced.statusPage?.entries);
  return {
    pageId,
    idOf: (name: string) => components[name]?.id ?? '',
    save: (...disruptions: Partial<Disruption>[]) =>
      fixture.tables.transaction({ organizationId }, async (tx) => {
        for (const one of disruptions)
          await saveDisruption(tx, { ...disruption(pageId), ...one }, { deletedIds: [], edited: [] });
      }),
    read: () =>
      fixture.tables.transaction({ organizationId }, (tx) =>
        listPageDisruptions(tx, organizationId, pageId, { since: SINCE }),
      ),
    async view(below = '') {
      const response = await fetch(`${fixture.url}/s/${slug}${below}`);
      return { status: response.status, text: await response.text() };
    },
  };
}

function disruption(pageId: string): Disruption {
  return {
    id: v7(),
    organizationId,
    title: 'API is slow',
    automaticTitle: false,
    type: 'disruption',
    status: 'investigating',
    impact: 'minor',
    autoCreated: false,
    startedAt: SINCE,
    endsAt: undefined,
    resolvedAt: undefined,
    updates: [],
    components: [],
    statusPageIds: [pageId],
    createdAt: SINCE,
    updatedAt: SINCE,
  };
}

const entries = (count: number, body: string) =>
  Array.from({ length: count }, (_, index) => ({
    id: v7(),
    status: 'investigating' as const,
    body,
    automatic: false,
    automaticText: undefined,
    editedAt: undefined,
    silent: false,
    postedAt: minute(count - index),
  }));

const affected = (count: number, statusPageId: string, status: ComponentStatus, name: string) =>
  Array.from({ length: count }, () => ({ id: v7(), name, status, statusPageId }));

const many = (count: number, one: (index: number) => Partial<Disruption>) =>
  Array.from({ length: count }, (_, index) => one(index));

test(`a page shows ${PAGE_LIMITS.open} open disruptions: the worst take priority, then the newest, and planned ones come last`, async () => {
  const page = await createPage();
  await page.save(
    { title: 'worst', impact: 'critical' },
    { title: 'planned', type: 'maintenance', status: 'scheduled' },
  );
  await page.save(
    ...many(PAGE_LIMITS.open - 2, (index) => ({ title: `minor ${index}`, startedAt: minute(index + 1) })),
  );
  const full = await page.read();
  expect([full.shown.length, full.omittedOpen, full.omittedEnded]).toEqual([PAGE_LIMITS.open, 0, 0]);
  expect((await page.view()).text).not.toContain('not shown');

  await page.save({ title: 'one more', startedAt: minute(500) });
  const titles = (await page.read()).shown.map(({ title }) => title);
  expect(titles).toHaveLength(PAGE_LIMITS.open);
  expect(titles).not.toContain('planned');
  expect(titles.slice(0, 2)).toEqual(['one more', `minor ${PAGE_LIMITS.open - 3}`]);

  await page.save({ title: 'another', startedAt: minute(501) });
  const { shown, omittedOpen } = await page.read();
  expect(omittedOpen).toBe(2);
  expect(shown.at(-1)?.title).toBe('worst');
  expect(shown.map(({ title }) => title)).not.toContain('minor 0');
  const { text } = await page.view();
  expect(text).toContain('Further open or planned ones not shown: 2');
  expect((await page.view('/history/2026-01')).text).toContain('Further open or planned ones not shown: 2');
  expect(text).toMatch(/class="card banner is-major_outage is-solid"/);
});

test('if there is too much planned maintenance, a page shows the maintenance that starts first', async () => {
  const page = await createPage();
  const planned = { type: 'maintenance', status: 'scheduled' } as const;
  await page.save(
    ...many(PAGE_LIMITS.open + 1, (index) => ({ ...planned, title: `plan ${index}`, startedAt: minute(index) })),
  );
  const titles = (await page.read()).shown.map(({ title }) => title);
  expect(titles).toHaveLength(PAGE_LIMITS.open);
  expect(titles.at(-1)).toBe('plan 0');
  expect(titles).not.toContain(`plan ${PAGE_LIMITS.open}`);
});

test(`a page shows the last ${PAGE_LIMITS.ended} disruptions that ended, in addition to open ones`, async () => {
  const page = await createPage();
  const ended = (index: number) => ({
    title: `over ${index}`,
    status: 'resolved' as const,
    resolvedAt: minute(index + 1),
  });
  await page.save({ title: 'open' }, ...many(PAGE_LIMITS.ended, ended));
  const full = await page.read();
  expect([full.shown.length, full.omittedOpen, full.omittedEnded]).toEqual([PAGE_LIMITS.ended + 1, 0, 0]);
  await page.save(ended(PAGE_LIMITS.ended));
  const more = await page.read();
  expect([more.shown.length, more.omittedOpen, more.omittedEnded]).toEqual([PAGE_LIMITS.ended + 1, 0, 1]);
  expect(more.shown.map(({ title }) => title)).not.toContain('over 0');
  expect((await page.view()).text).toContain('Older ones not shown: 1');
});

test('the page and the feeds of a component have the disruptions of the component, however many others there are', async () => {
  const page = await createPage('Search', 'Checkout');
  const statusPageId = page.pageId;
  const ended = (title: string, name: string, index: number): Partial<Disruption> => ({
    title,
    status: 'resolved',
    resolvedAt: minute(index + 1),
    components: [{ id: page.idOf(name), name, status: 'major_outage', statusPageId }],
  });
  await page.save(
    ended('no results', 'Search', 0),
    ...many(PAGE_LIMITS.ended, (index) => ended(`slow payment ${index}`, 'Checkout', index + 1)),
  );
  for (const file of ['', '/history.rss', '/history.atom']) {
    const { text } = await page.view(`/components/${page.idOf('Search')}${file}`);
    expect(text, file).toContain('no results');
    expect(text, file).not.toContain('slow payment');
    expect(text, file).not.toContain('not shown');
  }
  await page.save(ended('one more', 'Checkout', 500));
  const { text } = await page.view(`/components/${page.idOf('Checkout')}`);
  expect(text).toContain('one more');
  expect(text).toContain('Older ones not shown: 1');
});

test('the page of a component has a disruption whose affected components are too many to show', async () => {
  const page = await createPage('Search');
  const name = 'n'.repeat(255);
  const worse = affected(PAGE_LIMITS.componentBytes / PAGE_LIMITS.markupBytes, page.pageId, 'major_outage', name);
  const search = {
    id: page.idOf('Search'),
    name: 'Search',
    status: 'partial_outage',
    statusPageId: page.pageId,
  } as const;
  await page.save({ title: 'all is slow', components: [...worse, search] });
  expect((await page.view(`/components/${page.idOf('Search')}`)).text).toContain('all is slow');
});

test(`a disruption shows its newest ${PAGE_LIMITS.updatesOfOne} entries`, async () => {
  const page = await createPage();
  const id = v7();
  const timeline = entries(PAGE_LIMITS.updatesOfOne + 1, 'We are on it.');
  await page.save({ id, updates: timeline.slice(1) });
  expect((await page.read()).shown).toMatchObject([{ updates: timeline.slice(1), hasOlderUpdates: false }]);
  expect((await page.view()).text).not.toContain('not shown');
  await page.save({ id, updates: timeline });
  expect((await page.read()).shown).toMatchObject([{ updates: timeline.slice(0, -1), hasOlderUpdates: true }]);
  expect((await page.view()).text).toContain('Older entries are not shown.');
});

test.each([
  ['plain text', 'x', 1],
  ['characters that HTML escapes', '"', 6],
  ['characters that Markdown reads', '*', 6],
  ['characters of two bytes', 'é', 2],
])('entries are omitted if the HTML of all entries would be too large: %s', async (_, letter, bytes) => {
  const half = Math.floor((PAGE_LIMITS.updateBytes / 2 - PAGE_LIMITS.markupBytes) / bytes);
  const sizeOf = async (length: number) => {
    const page = await createPage();
    const [first, second] = [entries(1, letter.repeat(half)), entries(1, letter.repeat(length))];
    await page.save({ updates: [...first, ...entries(1, 'older')] }, { updates: second });
    const { shown } = await page.read();
    return shown.map(({ updates }) => updates.length).toSorted();
  };
  // The newest entry of each disruption takes priority over older entries.
  expect(await sizeOf(half)).toEqual([1, 1]);
  expect(await sizeOf(half + 2)).toEqual([0, 1]);
});

test('the size of affected components is limited, the worst ones are shown first, and each disruption shows at least one', async () => {
  const page = await createPage();
  const name = 'n'.repeat(255);
  const most = Math.floor(PAGE_LIMITS.componentBytes / (name.length + PAGE_LIMITS.markupBytes));
  const first = affected(most - 1, page.pageId, 'degraded_performance', name);
  const id = v7();
  await page.save({ id, components: first, startedAt: minute(2) });
  await page.save({ components: affected(1, page.pageId, 'degraded_performance', name), startedAt: minute(1) });
  expect((await page.read()).shown.map(({ omittedComponents }) => omittedComponents)).toEqual([0, 0]);

  const worst = affected(1, page.pageId, 'major_outage', 'worst');
  await page.save({ id, components: [...first, ...worst], startedAt: minute(2) });
  const [long, short] = (await page.read()).shown;
  expect([long?.components.length, long?.omittedComponents]).toEqual([most - 1, 1]);
  expect(long?.components.at(-1)).toMatchObject(worst[0] ?? {});
  expect(short?.components).toHaveLength(1);
  expect((await page.view()).text).toContain('and 1 more');
});

test('a page with the maximum content is smaller than 1 MB', async () => {
  const page = await createPage();
  const largest = (index: number): Partial<Disruption> => ({
    title: 't'.repeat(255),
    updates: entries(30, index % 2 === 0 ? '"'.repeat(2_000) : 'short'),
    components: affected(50, page.pageId, 'partial_outage', 'n'.repeat(255)),
  });
  await page.save(...many(PAGE_LIMITS.open + 1, largest));
  const ended = { status: 'resolved', resolvedAt: minute(1) } as const;
  await page.save(...many(PAGE_LIMITS.ended + 1, (index) => ({ ...largest(index), ...ended })));
  const { status, text } = await page.view();
  expect(status).toBe(200);
  expect(text.split('<article')).toHaveLength(PAGE_LIMITS.open + PAGE_LIMITS.ended + 1);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(Buffer.byteLength(text)).toBeGreaterThan(500_000);
});
