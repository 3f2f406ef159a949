import { outgoingEvent } from '@tocsin/outbox';
import { OrganizationDeletedSchema } from '@tocsin/proto/identity/v1/events';
import { eventually, manualClock, tablesContaining } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const DAY_MS = 24 * 3_600_000;
const clock = manualClock('2026-01-01T00:00:00Z');
const fixture = await statusPageFixture({ now: clock.now, statusDomain: 'pages.test' });
const { rpc } = fixture;
const us = await fixture.as(v7());
const them = await fixture.as(v7());
const taken = { kind: 'invalid', fields: { slug: ['is taken'] } };
afterAll(() => fixture[Symbol.asyncDispose]());

async function createPage(as = us, slug = freshSlug()) {
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, as);
  return { id: statusPage?.id ?? '', slug };
}

/** Creates a page that had another slug before. */
async function renamedPage(as = us) {
  const { id, slug: old } = await createPage(as);
  const slug = freshSlug();
  await rpc.updateStatusPage({ id, slug }, as);
  return { id, old, slug };
}

function visit(path: string, host = 'tocsin.test') {
  return fetch(`${fixture.url}${path}`, { redirect: 'manual', headers: { 'x-forwarded-host': host } });
}

test('an old slug redirects to the page for 90 days, both in a path and in a host name', async () => {
  const { old, slug } = await renamedPage();
  const byPath = await visit(`/s/${old}`);
  expect([byPath.status, byPath.headers.get('location')]).toEqual([301, `/s/${slug}`]);
  // A browser with a cached redirect could not open the page after its old slug was restored.
  expect(byPath.headers.get('cache-control')).toBe('max-age=0');
  const byHost = await visit('/', `${old}.pages.test`);
  expect([byHost.status, byHost.headers.get('location')]).toEqual([301, `https://${slug}.pages.test`]);
  for (const below of ['history.rss', 'api/v2/summary.json', `incidents/${v7()}`]) {
    expect((await visit(`/s/${old}/${below}`)).headers.get('location')).toBe(`/s/${slug}/${below}`);
    const onHost = await visit(`/${below}`, `${old}.pages.test`);
    expect(onHost.headers.get('location')).toBe(`https://${slug}.pages.test/${below}`);
  }
  clock.advance(90 * DAY_MS - 1);
  expect((await visit(`/s/${old}`)).status).toBe(301);
  clock.advance(1);
  expect((await visit(`/s/${old}`)).status).toBe(404);
});

test('an old slug redirects to the current slug after several changes, but not while the page is disabled', async () => {
  const { id, old } = await renamedPage();
  const last = freshSlug();
  await rpc.updateStatusPage({ id, slug: last }, us);
  expect((await visit(`/s/${old}`)).headers.get('location')).toBe(`/s/${last}`);
  await rpc.updateStatusPage({ id, enabled: false }, us);
  expect((await visit(`/s/${old}`)).status).toBe(404);
});

test('an old slug on the host of another page does not redirect', async () => {
  const [{ old }, other] = [await renamedPage(), await createPage()];
  expect((await visit(`/s/${old}`, `${other.slug}.pages.test`)).status).toBe(404);
});

test('a released slug stays reserved for its organization for 90 days', async () => {
  const { old } = await renamedPage();
  const { id } = await createPage(them);
  await expect(createPage(them, old)).rejects.toMatchObject(taken);
  await expect(rpc.updateStatusPage({ id, slug: old }, them)).rejects.toMatchObject(taken);
  clock.advance(90 * DAY_MS - 1);
  await expect(createPage(them, old)).rejects.toMatchObject(taken);
  clock.advance(1);
  await expect(rpc.updateStatusPage({ id, slug: old }, them)).resolves.toBeDefined();
  expect((await visit(`/s/${old}`)).status).toBe(200);
});

test('the slug of a deleted page is also reserved, and a request for it gets a 404', async () => {
  const { id, slug } = await createPage();
  await rpc.deleteStatusPage({ id }, us);
  expect((await visit(`/s/${slug}`)).status).toBe(404);
  await expect(createPage(them, slug)).rejects.toMatchObject(taken);
  await expect(createPage(us, slug)).resolves.toBeDefined();
});

test('an organization may use its own old slugs again immediately', async () => {
  const first = await renamedPage();
  await rpc.updateStatusPage({ id: first.id, slug: first.old }, us);
  expect((await visit(`/s/${first.old}`)).status).toBe(200);
  expect((await visit(`/s/${first.slug}`)).headers.get('location')).toBe(`/s/${first.old}`);
  await createPage(us, first.slug);
  expect((await visit(`/s/${first.slug}`)).status).toBe(200);
});

test('an organization has at most 100 reserved slugs, and if one more is reserved, others can use the oldest', async () => {
  const many = await fixture.as(v7());
  const { id, slug: oldest } = await createPage(many);
  for (let count = 0; count < 100; count += 1) {
    await rpc.updateStatusPage({ id, slug: freshSlug() }, many);
    clock.advance(1_000);
  }
  await expect(createPage(them, oldest)).rejects.toMatchObject(taken);
  await rpc.updateStatusPage({ id, slug: freshSlug() }, many);
  await expect(createPage(them, oldest)).resolves.toBeDefined();
});

test('if two organizations request the same slug at the same time, one of them gets it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const slug = freshSlug();
    const outcomes = await Promise.allSettled([createPage(us, slug), createPage(them, slug)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
});

test('the slugs of a deleted organization are reserved for 90 days', async () => {
  const organizationId = v7();
  const deleted = await fixture.as(organizationId);
  const { old, slug } = await renamedPage(deleted);
  await fixture.publish(
    outgoingEvent(OrganizationDeletedSchema, { organizationId }, { organizationId, aggregateId: organizationId }),
  );
  const tables = async () => tablesContaining(fixture.databaseUrl, organizationId);
  await eventually(async () => {
    expect(await tables()).not.toContain('status_page');
    expect(await tables()).not.toContain('released_slug');
  });
  for (const former of [slug, old]) await expect(createPage(them, former)).rejects.toMatchObject(taken);
  const { id } = await createPage(them);
  await expect(rpc.updateStatusPage({ id, slug }, them)).rejects.toMatchObject(taken);
  expect((await visit(`/s/${slug}`)).status).toBe(404);
  clock.advance(90 * DAY_MS - 1_000);
  await expect(createPage(them, slug)).rejects.toMatchObject(taken);
  clock.advance(1_000);
  for (const former of [slug, old]) expect(await createPage(them, former)).toMatchObject({ slug: former });
});
