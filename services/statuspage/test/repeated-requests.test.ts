import { randomUUID } from 'node:crypto';
import { withIdempotencyId } from '@tocsin/runtime';
import { EXECUTED_ONCE, observeRepeats } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const { rpc, components } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

test('a repeated creation creates one page, even if it is the last one of the quota', async () => {
  const as = await fixture.as(v7(), { limits: { status_pages: 1 } });
  const repeated = withIdempotencyId(randomUUID(), as);
  const settings = { name: 'Acme', slug: freshSlug() };
  const observed = await observeRepeats({
    create: async () => [(await rpc.createStatusPage(settings, repeated)).statusPage?.id ?? ''],
    list: async () => (await rpc.listStatusPages({}, as)).statusPages.map(({ id }) => id),
    remove: ([id = '']) => rpc.deleteStatusPage({ id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

/** Creates a page, and returns its id and the options of calls. */
async function aPage() {
  const as = await fixture.as(v7());
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, as);
  return { statusPageId: statusPage?.id ?? '', as, repeated: withIdempotencyId(randomUUID(), as) };
}

test('a repeated creation creates one component', async () => {
  const { statusPageId, as, repeated } = await aPage();
  const observed = await observeRepeats({
    create: async () => [
      (await components.createComponent({ statusPageId, name: 'API' }, repeated)).component?.id ?? '',
    ],
    list: async () => (await components.listComponents({ statusPageId }, as)).components.map(({ id }) => id),
    remove: ([id = '']) => components.deleteComponent({ statusPageId, id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeated creation creates one component group', async () => {
  const { statusPageId, as, repeated } = await aPage();
  const observed = await observeRepeats({
    create: async () => [(await components.createGroup({ statusPageId, name: 'Core' }, repeated)).group?.id ?? ''],
    list: async () => (await components.listGroups({ statusPageId }, as)).groups.map(({ id }) => id),
    remove: ([id = '']) => components.deleteGroup({ statusPageId, id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeat returns the page and the component as they are now', async () => {
  const { statusPageId, as, repeated } = await aPage();
  const slug = freshSlug();
  const createPage = async () => (await rpc.createStatusPage({ name: 'Acme', slug }, repeated)).statusPage;
  const id = (await createPage())?.id ?? '';
  await rpc.updateStatusPage({ id, name: 'Acme Inc.', slug: freshSlug() }, as);
  expect(await createPage()).toMatchObject({ id, name: 'Acme Inc.' });

  const create = async () =>
    (await components.createComponent({ statusPageId, name: 'API' }, withIdempotencyId(again, as))).component;
  const again = randomUUID();
  const component = await create();
  await components.updateComponent({ statusPageId, id: component?.id ?? '', name: 'Public API' }, as);
  expect(await create()).toMatchObject({ id: component?.id, name: 'Public API' });
  await rpc.deleteStatusPage({ id: statusPageId }, as);
  await expect(create()).rejects.toMatchObject({ kind: 'conflict' });
});
