import { Locale } from '@tocsin/proto/statuspage/v1/statuspage';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture({ statusDomain: 'status.example' });
const organizationId = v7();
const us = await fixture.as(organizationId);
const gateway = await fixture.asService('gateway');
afterAll(() => fixture[Symbol.asyncDispose]());

async function pageWith(settings: { subscribersEnabled?: boolean; enabled?: boolean; locale?: Locale } = {}) {
  const slug = freshSlug();
  const wanted = { name: 'Acme', slug, enabled: true, subscribersEnabled: true, ...settings };
  const { statusPage } = await fixture.rpc.createStatusPage(wanted, us);
  return { id: statusPage?.id ?? '', slug };
}

const get = (path: string, host = 'tocsin.test') =>
  fetch(`${fixture.url}${path}`, { headers: { 'x-forwarded-host': host } });
const find = async (host: string, slug?: string) =>
  (await fixture.rpc.findSubscribablePage({ host, ...(slug !== undefined && { slug }) }, gateway)).page;

test('a page with subscribers has a form that works without scripts, and its policy allows only that form', async () => {
  const { slug } = await pageWith();
  const response = await get(`/s/${slug}`);
  const text = await response.text();
  expect(text).toContain(`<form class="subscribe" method="post" action="/s/${slug}/subscribe">`);
  expect(text).toContain('<label for="subscribe-address">Get updates by mail</label>');
  expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await (await get('/', `${slug}.status.example`)).text()).toContain('method="post" action="/subscribe"');
});

test('a page without subscribers has no form, and nothing below its address', async () => {
  const { slug } = await pageWith({ subscribersEnabled: false });
  const response = await get(`/s/${slug}`);
  expect(await response.text()).not.toContain('<form');
  expect(response.headers.get('content-security-policy')).toContain("form-action 'none'");
  for (const path of ['subscribe', 'subscribe/sent']) expect((await get(`/s/${slug}/${path}`)).status).toBe(404);
});

test.each([
  ['subscribe', 'Meldungen per E-Mail', true],
  ['subscribe/sent', 'Sehen Sie in Ihr Postfach', false],
  ['subscribe/invalid', 'Das ist keine E-Mail-Adresse', true],
  ['subscribe/full', 'Es gibt zu viele Abonnenten', false],
])('%s is in the language of the page', async (path, text, hasForm) => {
  const { slug } = await pageWith({ locale: Locale.DE });
  const response = await get(`/s/${slug}/${path}`);
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(page).toContain(text);
  expect(page.includes('<form')).toBe(hasForm);
  expect((await get(`/s/${slug}/subscribe/other`)).status).toBe(404);
});

test('the page is found by its slug and by its host, and only while visitors may subscribe', async () => {
  const { id, slug } = await pageWith({ locale: Locale.FR });
  const url = `https://${slug}.status.example`;
  const page = { id, organizationId, name: 'Acme', url, locale: Locale.FR };
  expect(await find('tocsin.test', slug)).toMatchObject(page);
  expect(await find(`${slug.toUpperCase()}.status.example`)).toMatchObject(page);
  // A host of one page has no other pages.
  const other = await pageWith();
  expect(await find(`${other.slug}.status.example`, slug)).toBeUndefined();
  expect(await find('tocsin.test')).toBeUndefined();
  expect(await find('tocsin.test', 'unknown')).toBeUndefined();
  expect(await find('tocsin.test', (await pageWith({ enabled: false })).slug)).toBeUndefined();
  await fixture.rpc.updateStatusPage({ id, subscribersEnabled: false }, us);
  expect(await find('tocsin.test', slug)).toBeUndefined();
  await expect(fixture.rpc.findSubscribablePage({ host: 'tocsin.test', slug }, us)).rejects.toMatchObject({
    kind: 'forbidden',
  });
});
