import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function pageWith(...names: string[]) {
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  const id = statusPage?.id ?? '';
  const entries = names.map((name) => component({ name }));
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  const shown = async () => (await fetch(`${fixture.url}/s/${slug}`)).text();
  return { id, shown, idOf: (name: string) => tree[name]?.id ?? '' };
}

test('resolveComponents returns only components of the page, and compares ids without regard to case', async () => {
  const page = await pageWith('API', 'Web');
  const elsewhere = await pageWith('Elsewhere');
  const ids = [page.idOf('API').toUpperCase(), elsewhere.idOf('Elsewhere'), v7(), 'nonsense'];
  const { components } = await fixture.rpc.resolveComponents({ statusPageId: page.id, ids }, us);
  expect(components).toMatchObject([{ id: page.idOf('API'), name: 'API' }]);
  expect((await fixture.rpc.resolveComponents({ statusPageId: page.id, ids: [] }, us)).components).toEqual([]);
});

test('resolveComponents returns not_found for a page of another organization, an unknown page and a malformed id', async () => {
  const page = await pageWith('API');
  const ids = [page.idOf('API')];
  const refusal = { kind: 'not_found', message: 'status page not found' };
  const asked = (statusPageId: string, as = us) => fixture.rpc.resolveComponents({ statusPageId, ids }, as);
  await expect(asked(page.id, await fixture.as(v7()))).rejects.toMatchObject(refusal);
  await expect(asked(v7())).rejects.toMatchObject(refusal);
  await expect(asked('nonsense')).rejects.toMatchObject(refusal);
});

test('a disruption is shown on every page that it is published to, even if it affects no component of the page', async () => {
  const [touched, published, other] = [await pageWith('API'), await pageWith('Web'), await pageWith('Shop')];
  const api = { id: touched.idOf('API'), name: 'API', statusPageId: touched.id, status: ComponentStatus.MAJOR_OUTAGE };
  const disruption = aDisruption(organizationId, [api], {
    title: 'No power',
    statusPageIds: [touched.id, published.id],
  });
  await fixture.publish(disruption.created());
  await eventually(async () => expect(await touched.shown()).toContain('No power'));
  const text = await published.shown();
  expect(text).toContain('No power');
  expect(text).not.toContain('Affected components');
  expect(text).not.toContain('Major outage');
  expect(await other.shown()).not.toContain('No power');

  await fixture.publish(disruption.updated({ statusPageIds: [touched.id, other.id] }));
  await eventually(async () => expect(await other.shown()).toContain('No power'));
  expect(await published.shown()).not.toContain('No power');
  await fixture.publish(disruption.deleted());
  await eventually(async () => expect(await touched.shown()).not.toContain('No power'));
});

test('the page still shows timeline entries that newer events omit, with the newest entry first', async () => {
  const page = await pageWith('API');
  const update = (body: string, minute: number) => ({
    id: v7(),
    status: DisruptionStatus.INVESTIGATING,
    body,
    postedBy: 'jane@example.com',
    postedAt: timestampFromDate(new Date(Date.UTC(2026, 0, 1, 0, minute))),
  });
  const [first, second, third] = [
    update('the first update', 1),
    update('the second update', 2),
    update('the third update', 3),
  ];
  const disruption = aDisruption(organizationId, [], { statusPageIds: [page.id], updates: [first] });
  await fixture.publish(disruption.created());
  await fixture.publish(disruption.updated({ updates: [second, first] }));
  await fixture.publish(disruption.updated({ updates: [third, { ...second, body: 'the second update, changed' }] }));
  await eventually(async () => expect(await page.shown()).toContain('the third update'));
  const shown = await page.shown();
  expect(shown.match(/the (first|second|third) update[^<]*/g)).toEqual([
    'the third update',
    'the second update, changed',
    'the first update',
  ]);
});
