import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { jetstream } from '@nats-io/jetstream';
import { EVENT_STREAM, eventSubject } from '@tocsin/outbox';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { StatusPageService, Theme } from '@tocsin/proto/statuspage/v1/statuspage';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const { rpc } = fixture;
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function createPage(fields: { name?: string; slug?: string; description?: string } = {}) {
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug(), ...fields }, us);
  if (!statusPage) throw new Error('no page came back');
  return statusPage;
}

test('a new page has the default settings, no components and a public address', async () => {
  const slug = freshSlug();
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug }, us);
  expect(statusPage).toMatchObject({
    organizationId,
    name: 'Acme',
    slug,
    theme: Theme.SYSTEM,
    showThemeSwitcher: false,
    enabled: false,
    subscribersEnabled: false,
    showUptime: true,
    url: `http://tocsin.test/s/${slug}`,
    entries: [],
  });
  expect(statusPage?.description).toBeUndefined();
  expect(statusPage?.createdAt).toEqual(statusPage?.updatedAt);
  expect((await rpc.getStatusPage({ id: statusPage?.id ?? '' }, us)).statusPage).toEqual(statusPage);
});

test('with a status domain, each page has its own host', async () => {
  await using other = await statusPageFixture({ statusDomain: 'status.example' });
  const { statusPage } = await other.rpc.createStatusPage({ name: 'Acme', slug: 'acme' }, await other.as(v7()));
  expect(statusPage?.url).toBe('https://acme.status.example');
});

test('pages are listed newest first', async () => {
  const fresh = await fixture.as(v7());
  for (const name of ['first', 'second', 'third']) await rpc.createStatusPage({ name, slug: freshSlug() }, fresh);
  const { statusPages } = await rpc.listStatusPages({}, fresh);
  expect(statusPages.map(({ name }) => name)).toEqual(['third', 'second', 'first']);
});

test('a change affects only the fields that were sent, and null clears a field', async () => {
  const { id, slug, createdAt } = await createPage({ description: 'All our systems' });
  await rpc.updateStatusPage({ id, primaryColor: { value: '#1A2B3C' }, theme: Theme.DARK, enabled: true }, us);
  const { statusPage } = await rpc.updateStatusPage({ id, name: 'Acme Inc.', description: {}, enabled: false }, us);
  expect(statusPage).toMatchObject({
    name: 'Acme Inc.',
    slug,
    theme: Theme.DARK,
    primaryColor: '#1A2B3C',
    enabled: false,
    createdAt,
  });
  expect(statusPage?.description).toBeUndefined();
});

test('a slug is unique across organizations', async () => {
  const { id, slug } = await createPage();
  const taken = { kind: 'invalid', fields: { slug: ['is taken'] } };
  await expect(rpc.createStatusPage({ name: 'Other', slug }, await fixture.as(v7()))).rejects.toMatchObject(taken);
  const other = await createPage();
  await expect(rpc.updateStatusPage({ id: other.id, slug }, us)).rejects.toMatchObject(taken);
  // A page does not conflict with its own slug.
  expect((await rpc.updateStatusPage({ id, slug, name: 'Same' }, us)).statusPage?.slug).toBe(slug);
});

test('all errors in a new page are returned at once', async () => {
  const wrong = { kind: 'invalid', fields: { name: ['is required'], primary_color: [expect.stringContaining('hex')] } };
  await expect(rpc.createStatusPage({ name: '', slug: freshSlug(), primaryColor: 'red' }, us)).rejects.toMatchObject(
    wrong,
  );
  const { id } = await createPage();
  await expect(rpc.updateStatusPage({ id, name: '', primaryColor: { value: 'red' } }, us)).rejects.toMatchObject(wrong);
});

test('creating or changing a page publishes an event, but a request that repeats the current values does not', async () => {
  const { id, name, updatedAt } = await createPage();
  const { statusPage } = await rpc.updateStatusPage({ id, name }, us);
  expect(statusPage?.updatedAt).toEqual(updatedAt);
  await rpc.updateStatusPage({ id, name: 'Other' }, us);
  const marker = await createPage();

  const subject = eventSubject(PageUpdatedSchema.typeName);
  const consumer = await jetstream(fixture.nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  const heard: string[] = [];
  for await (const message of await consumer.consume()) {
    const { statusPageId } = fromBinary(PageUpdatedSchema, message.data);
    heard.push(statusPageId);
    if (statusPageId === marker.id) break;
  }
  expect(heard.filter((heardId) => heardId === id)).toHaveLength(2);
});

test('every method reports not found for a page of another organization, an unknown page and a malformed id', async () => {
  const { id } = await createPage();
  const them = await fixture.as(v7());
  const callers: [string, typeof us][] = [
    [id, them],
    [v7(), us],
    ['nonsense', us],
  ];
  for (const [target, caller] of callers) {
    const calls = [
      () => rpc.getStatusPage({ id: target }, caller),
      () => rpc.updateStatusPage({ id: target, name: 'Mine' }, caller),
      () => rpc.replaceStructure({ id: target, entries: [] }, caller),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ kind: 'not_found', message: 'status page not found' });
    }
  }
  expect((await rpc.listStatusPages({}, them)).statusPages).toEqual([]);
});

test('a gRPC call without a token or with an invalid token is UNAUTHENTICATED', async () => {
  const client = createClient(StatusPageService, createGrpcTransport({ baseUrl: fixture.url }));
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: unknown) => ConnectError.from(error).code,
    );
  expect(await codeOf(client.listStatusPages({}))).toBe(Code.Unauthenticated);
  expect(await codeOf(client.listStatusPages({}, { headers: { authorization: 'Bearer nonsense' } }))).toBe(
    Code.Unauthenticated,
  );
  expect(await codeOf(client.listStatusPages({}, us))).toBe('ok');
});

test('an organization can create pages up to its limit', async () => {
  const us = await fixture.as(v7(), { limits: { status_pages: 1 } });
  const create = () => fixture.rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  const { statusPage } = await create();
  await expect(create()).rejects.toMatchObject({
    kind: 'invalid',
    fields: { status_pages: ['are limited to 1 for this organization, which has 1'] },
  });
  await fixture.rpc.deleteStatusPage({ id: statusPage?.id ?? '' }, us);
  await expect(create()).resolves.toBeDefined();
});
