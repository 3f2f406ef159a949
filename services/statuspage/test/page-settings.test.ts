import { Locale } from '@tocsin/proto/statuspage/v1/statuspage';
import { manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { component, componentsByName, freshSlug, group, statusPageFixture } from './statuspage-fixture.ts';

const clock = manualClock('2026-01-10T06:00:00Z');
const fixture = await statusPageFixture({ now: clock.now });
const { rpc, components } = fixture;
const us = await fixture.as(v7());
afterAll(() => fixture[Symbol.asyncDispose]());

async function createPage(settings: { homepageUrl?: string; supportUrl?: string; noindex?: boolean } = {}) {
  const slug = freshSlug();
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug, enabled: true, ...settings }, us);
  return { id: statusPage?.id ?? '', url: `${fixture.url}/s/${slug}` };
}

const textOf = async (url: string) => (await fetch(url)).text();

test('the addresses, the locale and noindex of a page are stored, changed and cleared', async () => {
  const { id } = await createPage({ homepageUrl: 'https://acme.example/', supportUrl: 'https://acme.example/help' });
  const read = async () => (await rpc.getStatusPage({ id }, us)).statusPage;
  const set = { homepageUrl: 'https://acme.example/', supportUrl: 'https://acme.example/help' };
  expect(await read()).toMatchObject({ ...set, locale: Locale.EN, noindex: false });
  await rpc.updateStatusPage(
    { id, homepageUrl: { value: 'https://acme.test/' }, locale: Locale.AR, noindex: true },
    us,
  );
  expect(await read()).toMatchObject({ ...set, homepageUrl: 'https://acme.test/', locale: Locale.AR, noindex: true });
  await rpc.updateStatusPage({ id, supportUrl: {}, noindex: false }, us);
  const after = await read();
  expect(after).toMatchObject({ homepageUrl: 'https://acme.test/', locale: Locale.AR, noindex: false });
  expect(after?.supportUrl).toBeUndefined();
  const wrong = { homepageUrl: 'javascript:alert(1)' };
  const refusal = { kind: 'invalid', fields: { homepage_url: ['must be an http or https URL'] } };
  await expect(createPage(wrong)).rejects.toMatchObject(refusal);
});

test('a page and the documents below it are in the language of the page, and API v2 is in English', async () => {
  const { id, url } = await createPage();
  expect(await textOf(url)).toContain('<html lang="en" dir="ltr"');
  await rpc.updateStatusPage({ id, locale: Locale.AR }, us);
  for (const path of ['', '/history', `/incidents/${v7()}`]) {
    expect(await textOf(`${url}${path}`)).toContain('<html lang="ar" dir="rtl"');
  }
  expect(await textOf(url)).toContain('<h2 class="headline">لا توجد مكونات بعد</h2>');
  expect(await textOf(`${url}/history.atom`)).toContain('xml:lang="ar"');
  expect(await textOf(`${url}/badge.svg`)).toContain('لا توجد مكونات بعد');
  expect(JSON.parse(await textOf(`${url}/api/v2/status.json`))).toMatchObject({
    status: { description: 'No components yet' },
  });
});

test("a page and the pages below it link to the owner's home page and support", async () => {
  const homepageUrl = 'https://acme.example/?a=1&b=2';
  const { id, url } = await createPage({ homepageUrl, supportUrl: 'https://help.acme.example/' });
  for (const path of ['', '/history']) {
    const text = await textOf(`${url}${path}`);
    expect(text).toContain('<a href="https://acme.example/?a=1&amp;b=2" dir="ltr">acme.example</a>');
    expect(text).toContain('<a href="https://help.acme.example/">');
  }
  await rpc.updateStatusPage({ id, homepageUrl: {}, supportUrl: {} }, us);
  expect(await textOf(url)).not.toContain('acme.example');
});

test('a page with noindex asks search engines not to list any of its documents, and names no sitemap', async () => {
  const { id, url } = await createPage();
  const documents = ['', '/history', '/preview/unknown.png', '/history.atom', '/badge.svg', '/api/v2/summary.json'];
  const tags = () => Promise.all(documents.map(async (path) => (await fetch(`${url}${path}`)).headers.get('etag')));
  const before = await tags();
  expect((await fetch(url)).headers.get('x-robots-tag')).toBeNull();
  expect(await textOf(url)).not.toContain('name="robots"');
  expect(await textOf(`${url}/robots.txt`)).toContain('Sitemap: ');
  expect((await fetch(`${url}/sitemap.xml`)).status).toBe(200);

  await rpc.updateStatusPage({ id, noindex: true }, us);
  for (const path of documents) {
    expect((await fetch(`${url}${path}`)).headers.get('x-robots-tag'), path).toBe('noindex');
  }
  for (const path of ['', '/history']) {
    expect(await textOf(`${url}${path}`)).toContain('<meta name="robots" content="noindex">');
  }
  expect(await textOf(`${url}/robots.txt`)).toBe('User-agent: *\nAllow: /\n');
  expect((await fetch(`${url}/sitemap.xml`)).status).toBe(404);
  // The ETags must differ. Otherwise the gateway would go on sending the documents without the header.
  for (const [index, tag] of (await tags()).entries()) expect(tag).not.toBe(before[index]);
});

test('a group is open or closed as the page owner chose, and by default it is closed only on a long page without problems', async () => {
  const { id, url } = await createPage();
  const isOpen = async (name: string) => {
    const text = await textOf(url);
    const [, attributes] =
      new RegExp(`<details class="card group"([^>]*)>\\s*<summary>\\s*<h3[^>]*><bdi>${name}<`).exec(text) ?? [];
    return attributes?.includes('open');
  };
  const short = [
    group('Automatic', [{ name: 'A' }]),
    { entry: { case: 'group' as const, value: { name: 'Open', components: [{ name: 'B' }], defaultOpen: true } } },
    { entry: { case: 'group' as const, value: { name: 'Closed', components: [{ name: 'C' }], defaultOpen: false } } },
  ];
  const { statusPage } = await rpc.replaceStructure({ id, entries: short }, us);
  expect(await Promise.all(['Automatic', 'Open', 'Closed'].map(isOpen))).toEqual([true, true, false]);
  const long = Array.from({ length: 18 }, (_, index) => component({ name: `Part ${index}` }));
  await rpc.replaceStructure({ id, entries: [...short, ...long] }, us);
  expect(await Promise.all(['Automatic', 'Open', 'Closed'].map(isOpen))).toEqual([false, true, false]);

  const [automatic] = statusPage?.entries ?? [];
  const key = { statusPageId: id, id: automatic?.entry.value?.id ?? '' };
  expect((await components.updateGroup({ ...key, defaultOpen: { value: true } }, us)).group?.defaultOpen).toBe(true);
  expect(await isOpen('Automatic')).toBe(true);
  expect((await components.updateGroup({ ...key, name: 'Automatic' }, us)).group?.defaultOpen).toBe(true);
  expect((await components.updateGroup({ ...key, defaultOpen: {} }, us)).group?.defaultOpen).toBeUndefined();
  const made = await components.createGroup({ statusPageId: id, name: 'New', defaultOpen: false }, us);
  expect((await components.getGroup({ statusPageId: id, id: made.group?.id ?? '' }, us)).group?.defaultOpen).toBe(
    false,
  );
});

test('in the 90-day bars of a component, the days before its start date are marked as days without data', async () => {
  const { id, url } = await createPage();
  const entries = [component({ name: 'API', startDate: '2026-01-12' })];
  const { statusPage } = await rpc.replaceStructure({ id, entries }, us);
  const api = componentsByName(statusPage?.entries).API;
  expect(api?.startDate).toBe('2026-01-12');
  clock.advance(78 * 3_600_000);
  // The last of the 90 days is January 13.
  expect(await textOf(url)).toContain('data-days="0-87:n"');
  const documents = (await (await fetch(`${url}/api/v2/components.json`)).json()) as { components: object[] };
  expect(documents.components).toMatchObject([{ name: 'API', start_date: '2026-01-12' }]);

  const key = { statusPageId: id, id: api?.id ?? '' };
  expect((await components.updateComponent({ ...key, name: 'API' }, us)).component?.startDate).toBe('2026-01-12');
  expect((await components.updateComponent({ ...key, startDate: {} }, us)).component?.startDate).toBeUndefined();
  expect(await textOf(url)).toMatch(/data-days="0-85:n 86:on\d+"/);
  const refusal = { kind: 'invalid', fields: { start_date: ['must be a date such as 2026-11-20'] } };
  await expect(components.updateComponent({ ...key, startDate: { value: '2026-02-30' } }, us)).rejects.toMatchObject(
    refusal,
  );
  const created = await components.createComponent({ statusPageId: id, name: 'New', startDate: '2026-01-13' }, us);
  expect(created.component?.startDate).toBe('2026-01-13');
});
