import { request } from 'node:http';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function createPage({ enabled = true } = {}) {
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled }, us);
  return { id: statusPage?.id ?? '', url: `${fixture.url}/s/${slug}` };
}

/** Sends a request without normalizing its path. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(fixture.url, { path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('a disabled page gets the same response as an unknown page', async () => {
  const hidden = await fetch((await createPage({ enabled: false })).url);
  const unknown = await fetch(`${fixture.url}/s/never-was`);
  expect([hidden.status, unknown.status]).toEqual([404, 404]);
  expect(await hidden.text()).toBe(await unknown.text());
  const headersOf = (response: Response) => [...response.headers].filter(([name]) => name !== 'date');
  expect(headersOf(hidden)).toEqual(headersOf(unknown));
});

test.each(['/', '/s', '/s/', '/s/%00', '/s/%E0%A4%A', '/s/a/b', '/s/../s', `/s/${'x'.repeat(5000)}`, '//s//'])(
  'the path $0 gets a 404',
  async (path) => expect(await statusOf(path)).toBe(404),
);

test('a request with the ETag of an unchanged page gets a 304', async () => {
  const { id, url } = await createPage();
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  const again = (tags: string) => fetch(url, { headers: { 'if-none-match': tags } });
  expect((await again(etag)).status).toBe(304);
  expect((await again(`"other", W/${etag}`)).status).toBe(304);
  expect((await again('"other"')).status).toBe(200);
  await fixture.rpc.updateStatusPage({ id, name: 'Another' }, us);
  expect((await again(etag)).status).toBe(200);
});

test('the version in the HTML of a page equals its ETag and changes when the page changes', async () => {
  const { id, url } = await createPage();
  const versionOf = async () => {
    const response = await fetch(url);
    const version = /^<!doctype html>\n<html [^>]*data-version="([\w-]+)"/.exec(await response.text())?.[1];
    expect(response.headers.get('etag')).toBe(`"${version}"`);
    return version;
  };
  const before = await versionOf();
  await fixture.rpc.updateStatusPage({ id, name: 'data-version=""' }, us);
  expect(await versionOf()).not.toBe(before);
});

test('the headers of a response contain the ids of the page and its organization, say how long the response is valid, and allow shared caching', async () => {
  const { id, url } = await createPage();
  const { headers } = await fetch(url);
  expect(headers.get('x-tocsin-page')).toBe(id);
  expect(headers.get('x-tocsin-organization')).toBe(organizationId);
  expect(headers.get('x-tocsin-valid-ms')).toBe('60000');
  expect(headers.get('cache-control')).toBe(
    'public, max-age=0, s-maxage=5, stale-while-revalidate=30, stale-if-error=86400',
  );
  const unknown = await fetch(`${fixture.url}/s/never-was`);
  expect(unknown.headers.has('x-tocsin-page')).toBe(false);
});

test('HEAD returns only the headers, and other methods are not allowed', async () => {
  const { url } = await createPage();
  const get = await fetch(url);
  const head = await fetch(url, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect(await head.text()).toBe('');
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await fetch(url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  }
});
