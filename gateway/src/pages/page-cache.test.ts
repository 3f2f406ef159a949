import { asOfNotice, contentVersion, html, pageTag } from '@tocsin/html';
import { expect, test } from 'vitest';
import { type Answer, type Fetched, keyOf, type PageAddress, PageCache } from './page-cache.ts';

const ACME: PageAddress = { host: 'localhost', path: '/s/acme' };
const KEY = keyOf(ACME);

const body = (text: string) =>
  Buffer.from(String(html`<main>${asOfNotice((time) => html`As of ${time}.`)}<p>${text}</p></main>`));

const pageOf = (text: string, { validMs = 60_000, pageId = 'p1', checkedAt = '' } = {}): Fetched => ({
  kind: 'page',
  validMs,
  page: {
    pageId,
    organizationId: 'acme',
    checkedAt: checkedAt || undefined,
    version: checkedAt ? pageTag(text, new Date(checkedAt)) : text,
    headers: { 'content-type': 'text/html' },
    body: body(text),
  },
});

const otherOf = (status: number): Fetched => ({
  kind: 'other',
  response: { status, headers: {}, body: Buffer.from('other') },
});

/** Returns a cache with a clock, and a statuspage service that responds with `state.next`. */
function setup({ maxBytes = 1_000_000, maxAgeMs = 60_000 } = {}) {
  const state = {
    now: 1_000_000,
    next: pageOf('green') as Fetched | Promise<Fetched>,
    calls: [] as (string | undefined)[],
  };
  const changes: string[] = [];
  const cache = new PageCache({
    async fetch(_, version) {
      state.calls.push(version);
      return state.next;
    },
    now: () => state.now,
    retryDelay: (failures) => failures * 1_000,
    maxBytes,
    maxAgeMs,
    onChange: (key, etag) => changes.push(`${key} ${etag}`),
  });
  return { state, cache, changes };
}

function textOf(answer: Answer): string {
  if (answer.kind !== 'page') return answer.kind;
  const { body: text } = answer.rendering.responses.identity;
  const asOf = text.includes('hidden') ? '' : ` as of ${/<time[^>]*>([^<]*)/.exec(text)?.[1]}`;
  return `${/<p>([^<]*)/.exec(text)?.[1]}${asOf}`;
}

/**
 * Waits until a background refresh has fulfilled the condition. The wait uses real time, because pages are compressed
 * in other threads.
 */
const settled = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};

test('a page is requested once, and sent from memory while it is valid', async () => {
  const { state, cache } = setup();
  expect(cache.current(KEY)).toBeUndefined();
  expect(textOf(await cache.get(ACME))).toBe('green');
  state.now += 59_999;
  expect(textOf(await cache.get(ACME))).toBe('green');
  expect(cache.current(KEY)?.etag).toBe('W/"green"');
  expect(state.calls).toEqual([undefined]);
  state.now += 1;
  expect(cache.current(KEY)).toBeUndefined();
});

test('a request for an expired page contains its version, and the page is rendered again only if the version changed', async () => {
  const { state, cache } = setup();
  await cache.get(ACME);
  const before = cache.current(KEY);
  state.now += 60_000;
  state.next = { kind: 'unchanged', validMs: 5 };
  expect(textOf(await cache.get(ACME))).toBe('green');
  expect(cache.current(KEY)).toBe(before);
  state.now += 5;
  state.next = pageOf('red');
  expect(textOf(await cache.get(ACME))).toBe('red');
  expect(state.calls).toEqual([undefined, 'green', 'green']);
});

test('a page that is valid for longer than the configured maximum age is current only until it reaches that age', async () => {
  const { state, cache } = setup({ maxAgeMs: 2_000 });
  await cache.get(ACME);
  state.now += 1_999;
  expect(cache.current(KEY)).toBeDefined();
  state.now += 1;
  expect(cache.current(KEY)).toBeUndefined();
});

test('concurrent first views share one request', async () => {
  const { state, cache } = setup();
  const responses = await Promise.all(Array.from({ length: 50 }, () => cache.get(ACME)));
  expect(new Set(responses.map(textOf))).toEqual(new Set(['green']));
  expect(state.calls).toHaveLength(1);
});

test('a changed page is refreshed at once if it was viewed in the last minute, otherwise at the next view', async () => {
  const { state, cache } = setup({ maxAgeMs: 600_000 });
  state.next = pageOf('green', { validMs: 600_000 });
  await cache.get(ACME);
  state.next = pageOf('red', { validMs: 600_000 });
  cache.markChanged('another page', true);
  expect(cache.current(KEY)).toBeDefined();
  cache.markChanged('p1', false);
  expect(cache.current(KEY)).toBeUndefined();
  await settled(() => cache.current(KEY)?.etag === 'W/"red"');

  state.now += 60_000;
  state.next = pageOf('blue');
  cache.markChanged('p1', false);
  expect(state.calls).toHaveLength(2);
  expect(textOf(await cache.get(ACME))).toBe('blue');
});

test('a change during a request causes another request, because the first response may not contain the change', async () => {
  const { state, cache } = setup();
  const first = Promise.withResolvers<Fetched>();
  state.next = first.promise;
  const answer = cache.get(ACME);
  await settled(() => state.calls.length === 1);
  cache.markChanged('p1', false);
  state.next = pageOf('red');
  first.resolve(pageOf('green'));
  expect(textOf(await answer)).toBe('green');
  await settled(() => cache.current(KEY)?.etag === 'W/"red"');
  expect(state.calls).toHaveLength(2);
});

test('while a page cannot be refreshed, its last version is sent with the time of its last verification', async () => {
  const { state, cache } = setup();
  state.now = Date.parse('2026-11-23T01:02:03Z');
  await cache.get(ACME);
  state.now += 60_000;
  state.next = { kind: 'failed' };
  const notice = 'green as of 2026-11-23 01:02 UTC';
  expect(textOf(await cache.get(ACME))).toBe(notice);
  // The next attempt is due after a second, so nothing is requested before that.
  state.now += 999;
  expect(textOf(await cache.get(ACME))).toBe(notice);
  expect(state.calls).toHaveLength(2);
  state.now += 1;
  state.next = { kind: 'unchanged', validMs: 60_000 };
  expect(textOf(await cache.get(ACME))).toBe(notice);
  await settled(() => cache.current(KEY) !== undefined);
  expect(textOf(await cache.get(ACME))).toBe('green');
});

test('a slow refresh delays a view by at most a second', async () => {
  const { state, cache } = setup();
  await cache.get(ACME);
  state.now += 60_000;
  const slow = Promise.withResolvers<Fetched>();
  state.next = slow.promise;
  const start = performance.now();
  expect(textOf(await cache.get(ACME))).toMatch(/^green as of/);
  expect(performance.now() - start).toBeGreaterThan(900);
  // Moves the clock of the cache, which did not advance during the slow refresh.
  state.now += 1_000;
  const again = performance.now();
  expect(textOf(await cache.get(ACME))).toMatch(/^green as of/);
  expect(performance.now() - again).toBeLessThan(900);
  slow.resolve(pageOf('red'));
  await settled(() => cache.current(KEY)?.etag === 'W/"red"');
  expect(state.calls).toHaveLength(2);
});

test('a page that was never stored is unavailable while the service fails', async () => {
  const { state, cache } = setup();
  state.next = { kind: 'failed' };
  expect((await cache.get(ACME)).kind).toBe('failed');
  state.next = pageOf('green');
  expect(textOf(await cache.get(ACME))).toBe('green');
});

test('a page that no longer exists is removed, and other responses such as a 404 are stored for 5 seconds', async () => {
  const { state, cache } = setup();
  await cache.get(ACME);
  state.next = otherOf(404);
  cache.markChanged('p1', true);
  await settled(() => cache.size.pages === 0);
  expect(await cache.get(ACME)).toMatchObject({ kind: 'other', response: { status: 404 } });
  state.next = pageOf('green');
  state.now += 4_999;
  expect(textOf(await cache.get(ACME))).toBe('other');
  state.now += 1;
  expect(textOf(await cache.get(ACME))).toBe('green');
});

test('when a page moves, the stored 404 for its new address is removed at once', async () => {
  const { state, cache } = setup();
  state.next = otherOf(404);
  await cache.get(ACME);
  state.next = pageOf('green');
  cache.markChanged('p1', false);
  expect(textOf(await cache.get(ACME))).toBe('other');
  cache.markChanged('p1', true);
  expect(textOf(await cache.get(ACME))).toBe('green');
});

test('pages of different hosts are cached separately, even if their paths are equal', async () => {
  const { state, cache } = setup();
  await cache.get(ACME);
  state.next = pageOf('blue', { pageId: 'p2' });
  expect(textOf(await cache.get({ host: 'status.example.com', path: '/' }))).toBe('blue');
  expect(textOf(await cache.get({ host: 'other.example.com', path: '/s/acme' }))).toBe('blue');
  expect(textOf(await cache.get(ACME))).toBe('green');
});

test('the size of the cache is bounded, and an organization uses at most an eighth of it', async () => {
  const { state, cache } = setup({ maxBytes: 16_000 });
  for (let index = 0; index < 20; index += 1) await cache.get({ host: 'localhost', path: `/s/page-${index}` });
  expect(cache.size.bytes).toBeLessThanOrEqual(2_000);
  expect(cache.size.pages).toBeGreaterThan(0);
  expect(cache.current('localhost/s/page-0')).toBeUndefined();
  expect(cache.current('localhost/s/page-19')).toBeDefined();
  expect(state.calls).toHaveLength(20);
});

test('while change events cannot be received, each page is verified after 5 seconds; when they can be received again, all pages are verified', async () => {
  const { state, cache } = setup();
  await cache.get(ACME);
  state.now += 1;
  state.next = { kind: 'unchanged', validMs: 60_000 };
  cache.setInformed(false);
  expect(cache.current(KEY)).toBeUndefined();
  await settled(() => cache.current(KEY) !== undefined);
  state.now += 4_999;
  expect(cache.current(KEY)).toBeDefined();
  state.now += 1;
  expect(cache.current(KEY)).toBeUndefined();
  await cache.get(ACME);
  cache.setInformed(true);
  expect(cache.current(KEY)).toBeUndefined();
  await settled(() => cache.current(KEY) !== undefined);
  state.now += 59_999;
  expect(cache.current(KEY)).toBeDefined();
});

test('if only the time of the last check changes, new visitors get the new time, but watchers are not notified', async () => {
  const { state, cache, changes } = setup();
  state.next = pageOf('green', { checkedAt: '2026-01-01T00:00:00.000Z' });
  await cache.get(ACME);
  const etag = cache.current(KEY)?.etag ?? '';
  using _watch = cache.watch(KEY, etag);
  expect(cache.checkedAt(KEY)).toBe('2026-01-01T00:00:00.000Z');

  state.next = pageOf('green', { checkedAt: '2026-01-01T00:01:00.000Z' });
  state.now += 60_000;
  cache.refreshWatched();
  await settled(() => cache.checkedAt(KEY) === '2026-01-01T00:01:00.000Z');
  expect(cache.current(KEY)?.etag).not.toBe(etag);
  expect(changes).toEqual([]);

  state.next = { kind: 'failed' };
  state.now += 60_000;
  cache.refreshWatched();
  await settled(() => changes.length === 1);
  state.next = pageOf('red', { checkedAt: '2026-01-01T00:01:00.000Z' });
  state.now += 60_000;
  cache.refreshWatched();
  await settled(() => changes.length === 2);
  expect(changes.map((change) => contentVersion(change.split(' ')[1] ?? ''))).toEqual([
    expect.stringMatching(/^green-\w+$/),
    'red',
  ]);
  expect(cache.checkedAt('localhost/s/unknown')).toBeUndefined();
});

test('watchers of a page are notified of every version that visitors would get', async () => {
  const { state, cache, changes } = setup();
  await cache.get(ACME);
  const first = cache.watch(KEY, 'W/"green"');
  const second = cache.watch(KEY, 'W/"green"');
  state.now += 60_000;
  cache.markChanged('p1', false);
  await settled(() => cache.current(KEY) !== undefined);
  expect(changes).toEqual([]);

  state.next = pageOf('red', { validMs: 10 });
  cache.markChanged('p1', false);
  await settled(() => changes.length === 1);
  first[Symbol.dispose]();
  state.now += 9;
  cache.refreshWatched();
  expect(state.calls).toHaveLength(3);
  state.now += 1;
  state.next = { kind: 'failed' };
  cache.refreshWatched();
  await settled(() => changes.length === 2);
  state.next = pageOf('green');
  state.now += 1_000;
  cache.refreshWatched();
  await settled(() => changes.length === 3);
  expect(changes).toEqual([
    `${KEY} W/"red"`,
    expect.stringMatching(/^localhost\/s\/acme W\/"red-\w+"$/),
    `${KEY} W/"green"`,
  ]);

  second[Symbol.dispose]();
  state.now += 60_000;
  cache.refreshWatched();
  expect(state.calls).toHaveLength(5);
});

test('a 404 is not stored if a page may have moved or become public during the request', async () => {
  const { state, cache } = setup();
  let respond = (_: Fetched): void => undefined;
  state.next = new Promise<Fetched>((resolve) => {
    respond = resolve;
  });
  const lost = cache.get(ACME);
  await settled(() => state.calls.length === 1);
  cache.markChanged('p1', true);
  respond(otherOf(404));
  expect((await lost).kind).toBe('other');
  state.next = pageOf('green');
  expect((await cache.get(ACME)).kind).toBe('page');

  // This change did not move or publish a page, so the 404 is still correct and is stored.
  const other = { ...ACME, path: '/s/other' };
  state.next = new Promise<Fetched>((resolve) => {
    respond = resolve;
  });
  const second = cache.get(other);
  cache.markChanged('p1', false);
  respond(otherOf(404));
  await second;
  state.next = pageOf('green');
  expect((await cache.get(other)).kind).toBe('other');
});

test('while too many requests for other pages wait, a stored page is sent with the notice that it may be outdated', async () => {
  const { state, cache } = setup();
  expect(textOf(await cache.get(ACME))).toBe('green');
  state.now += 60_000;
  const gate = Promise.withResolvers<Fetched>();
  state.next = gate.promise;
  const others = Array.from({ length: 500 }, (_, index) => cache.get({ host: 'localhost', path: `/s/other-${index}` }));
  expect(textOf(await cache.get(ACME))).toMatch(/^green as of /);
  gate.resolve(pageOf('other'));
  await Promise.all(others);
});

test('the pages of an organization whose requests are slow do not delay the page of another organization', async () => {
  const { state, cache } = setup();
  const ofOrganization = (organizationId: string, pageId: string) => {
    const fetched = pageOf('green', { pageId });
    return fetched.kind === 'page' ? { ...fetched, page: { ...fetched.page, organizationId } } : fetched;
  };
  const many = Array.from({ length: 100 }, (_, index) => ({ host: 'localhost', path: `/s/many-${index}` }));
  for (const address of many) {
    state.next = ofOrganization('many', address.path);
    await cache.get(address);
  }
  state.next = ofOrganization('few', 'p1');
  await cache.get(ACME);
  const gate = Promise.withResolvers<Fetched>();
  state.next = gate.promise;
  state.calls.length = 0;
  for (const { path } of many) cache.markChanged(path, false);
  await settled(() => state.calls.length > 0);
  state.next = pageOf('red');
  cache.markChanged('p1', false);
  expect(textOf(await cache.get(ACME))).toBe('red');
  // The other requests of the organization wait for those that it may have at the same time.
  expect(state.calls).toHaveLength(17);
  gate.resolve(ofOrganization('many', 'p2'));
  await settled(() => state.calls.length === 101);
});
