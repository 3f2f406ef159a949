import { createLogger } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SnapshotStore } from '../src/app/ports.ts';
import { SnapshotWriter } from '../src/app/snapshot-writer.ts';

/** Runs a writer with an in-memory store. Each page has one file, which contains the given text. */
function start(texts: Record<string, { slug: string; text: string; validMs?: number }>, stored: string[] = []) {
  const pages = new Map(Object.entries(texts));
  const files = new Map(stored.map((key) => [key, 'old']));
  const written: string[] = [];
  const state = { isBroken: false, isCut: false, passedMs: 0, renderings: 0, onWrite: async (_: string) => {} };
  const failing = new Set<string>();
  const refuse = () => {
    if (state.isBroken) throw new Error('the bucket returned 503');
  };
  const store: SnapshotStore = {
    list: async () => [...files.keys()],
    async write(key, { body }) {
      refuse();
      await state.onWrite(key);
      files.set(key, String(body));
      written.push(key);
    },
    async delete(key) {
      refuse();
      files.delete(key);
    },
  };
  const writer = new SnapshotWriter({
    store,
    now: () => new Date(Date.now() + state.passedMs),
    logger: createLogger('test', 'fatal'),
    listPages: async () => [...pages].map(([id, { slug }]) => ({ id, slug })),
    async render(id) {
      state.renderings += 1;
      if (failing.has(id)) throw new Error('the page can not be rendered');
      const page = pages.get(id);
      if (!page) return undefined;
      const file = { contentType: 'text/html', body: page.text };
      return { slug: page.slug, files: new Map([['index.html', file]]), validMs: page.validMs ?? 3_600_000 };
    },
    async check() {
      if (state.isCut) throw new Error('the database does not respond');
    },
    onFile: () => {},
  });
  const stop = new AbortController();
  const running = writer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const alive = () => JSON.parse(files.get('alive.json') ?? '{"at":"1970-01-01T00:00:00Z"}');
  const aliveAt = () => Date.parse(alive().at);
  return { writer, pages, files, written, state, failing, alive, aliveAt };
}

const acme = { slug: 'acme', text: 'green' };

test('all pages are written at the start, and then alive.json', async () => {
  const { files, written, aliveAt } = start({ a: acme, b: { slug: 'other', text: 'red' } });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(Date.now() - 10_000));
  expect(files.get('acme/index.html')).toBe('green');
  expect(files.get('other/index.html')).toBe('red');
  expect(written.at(-1)).toBe('alive.json');
});

test('files of pages that no longer exist are deleted, and files that are not part of a snapshot stay unchanged', async () => {
  const strange = ['notes.txt', 'acme/notes.txt', 'assets/logo.png', '../x/index.html'];
  const { files } = start({ a: acme }, [...strange, 'gone/index.html', 'gone/history/2026-01.html']);
  await eventually(() =>
    expect([...files.keys()].sort()).toEqual(['acme/index.html', 'alive.json', ...strange].sort()),
  );
});

test('a changed page is written at once, and an unchanged file is not written again', async () => {
  const { writer, pages, files, written, state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  pages.set('a', { ...acme, text: 'red' });
  writer.markChanged('a');
  await eventually(() => expect(files.get('acme/index.html')).toBe('red'));
  const { renderings } = state;
  writer.markChanged('a');
  await eventually(() => expect(state.renderings).toBe(renderings + 1));
  expect(written.filter((key) => key === 'acme/index.html')).toHaveLength(2);
});

test('the snapshot of a page that is no longer public is deleted', async () => {
  const { writer, pages, files, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  pages.delete('a');
  writer.markChanged('a');
  await eventually(() => expect([...files.keys()]).toEqual(['alive.json']));
});

test('the writer does not delete files under the old slug of a renamed page after another page wrote them', async () => {
  const { writer, pages, files, state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  pages.set('a', { ...acme, slug: 'moved' });
  pages.set('b', { ...acme, text: 'the new one' });
  // Delay the write of the renamed page until the other page's file has replaced its former file.
  state.onWrite = async (key) => {
    if (key === 'moved/index.html') await eventually(() => expect(files.get('acme/index.html')).toBe('the new one'));
  };
  writer.markChanged('a');
  writer.markChanged('b');
  await eventually(() => expect(files.get('moved/index.html')).toBe('green'));
  await eventually(() => expect(writer.waiting).toBe(0));
  expect(files.get('acme/index.html')).toBe('the new one');
});

test('a page that changes while it is being written is rendered again', async () => {
  const { writer, pages, files, state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  state.onWrite = async () => {
    state.onWrite = async () => {};
    pages.set('a', { ...acme, text: 'red' });
    writer.markChanged('a');
  };
  pages.set('a', { ...acme, text: 'yellow' });
  writer.markChanged('a');
  await eventually(() => expect(files.get('acme/index.html')).toBe('red'));
});

test('a page is rendered again when its validity ends', async () => {
  const { files, pages, state, aliveAt } = start({ a: { ...acme, validMs: 600_000 } });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  pages.set('a', { ...acme, text: 'next day' });
  state.passedMs = 590_000;
  await eventually(() => expect(aliveAt()).toBeGreaterThan(Date.now() + 580_000));
  expect(files.get('acme/index.html')).toBe('green');
  state.passedMs = 601_000;
  await eventually(() => expect(files.get('acme/index.html')).toBe('next day'));
});

test('writes to a broken store are retried, and the time in alive.json is not renewed until everything is written', async () => {
  const { writer, pages, files, state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  const before = aliveAt();
  state.isBroken = true;
  pages.set('a', { ...acme, text: 'red' });
  writer.markChanged('a');
  const { renderings } = state;
  await eventually(() => expect(state.renderings).toBeGreaterThan(renderings + 1));
  state.passedMs = 120_000;
  await eventually(() => expect(state.renderings).toBeGreaterThan(renderings + 2));
  expect(aliveAt()).toBe(before);
  expect(writer.waiting).toBe(1);
  state.isBroken = false;
  await eventually(() => expect(files.get('acme/index.html')).toBe('red'));
  await eventually(() => expect(aliveAt()).toBeGreaterThan(before + 100_000));
});

test('a page that cannot be rendered is listed as outdated, and the other snapshots stay current', async () => {
  const { writer, pages, files, state, failing, alive, aliveAt } = start({ a: acme, b: { ...acme, slug: 'other' } });
  await eventually(() => expect(alive().outdated).toEqual([]));
  const before = aliveAt();
  failing.add('a');
  pages.set('b', { slug: 'other', text: 'red' });
  for (const id of ['a', 'b']) writer.markChanged(id);
  await eventually(() => expect(files.get('other/index.html')).toBe('red'));
  state.passedMs = 61_000;
  await eventually(() => expect(alive().outdated).toEqual(['a']));
  expect(aliveAt()).toBeGreaterThan(before + 50_000);
  failing.delete('a');
  state.passedMs = 180_000;
  await eventually(() => expect(alive().outdated).toEqual([]));
});

test('a page that cannot be rendered at the start is listed as outdated, and its earlier files stay until it is rendered', async () => {
  const earlier = ['acme/index.html', 'acme/badge.svg', 'gone/index.html'];
  const { failing, files, state, alive } = start({ a: acme, b: { ...acme, slug: 'other' } }, earlier);
  failing.add('a');
  await eventually(() => expect(alive().outdated).toEqual(['a']));
  expect(files.get('acme/index.html')).toBe('old');
  expect(files.has('acme/badge.svg')).toBe(true);
  expect(files.has('gone/index.html')).toBe(false);
  failing.delete('a');
  state.passedMs = 120_000;
  await eventually(() => expect(files.has('acme/badge.svg')).toBe(false), { timeoutMs: 10_000 });
  expect(files.get('acme/index.html')).toBe('green');
});

test('the time in alive.json is not renewed while more than 1,000 pages are outdated', async () => {
  const ids = Array.from({ length: 1_001 }, (_, index) => `page-${index}`);
  const { failing, files, alive, state } = start(Object.fromEntries(ids.map((id) => [id, { ...acme, slug: id }])));
  for (const id of ids) failing.add(id);
  await eventually(() => expect(state.renderings).toBeGreaterThan(1_001));
  expect(files.has('alive.json')).toBe(false);
  failing.delete('page-0');
  state.passedMs = 120_000;
  await eventually(() => expect(alive().outdated).toHaveLength(1_000), { timeoutMs: 30_000 });
});

test('alive.json is not updated while the writer receives no notifications of changes; afterwards all pages are written again', async () => {
  const { writer, pages, files, state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  const before = aliveAt();
  writer.setInformed(false);
  state.passedMs = 40_000;
  pages.set('a', { ...acme, text: 'red' });
  pages.set('b', { slug: 'new', text: 'green' });
  // The writer checks once a second whether alive.json must be updated.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(aliveAt()).toBe(before);
  expect(files.get('acme/index.html')).toBe('green');
  writer.setInformed(true);
  await eventually(() => expect(files.get('new/index.html')).toBe('green'));
  await eventually(() => expect(aliveAt()).toBeGreaterThan(before));
  expect(files.get('acme/index.html')).toBe('red');
});

test('the time in alive.json is not renewed while the database does not respond', async () => {
  const { state, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  const before = aliveAt();
  state.isCut = true;
  state.passedMs = 40_000;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(aliveAt()).toBe(before);
  state.isCut = false;
  await eventually(() => expect(aliveAt()).toBeGreaterThan(before));
});

test('after the clock was set back by an hour, changes are written and the time in alive.json is renewed at once', async () => {
  const { writer, pages, files, state, failing, aliveAt } = start({ a: acme });
  await eventually(() => expect(aliveAt()).toBeGreaterThan(0));
  failing.add('a');
  writer.markChanged('a');
  const { renderings } = state;
  await eventually(() => expect(state.renderings).toBeGreaterThan(renderings));
  state.passedMs -= 3_600_000;
  failing.clear();
  pages.set('a', { ...acme, text: 'red' });
  writer.markChanged('a');
  await eventually(() => expect(files.get('acme/index.html')).toBe('red'));
  await eventually(() => expect(aliveAt()).toBeLessThan(Date.now() - 3_500_000));
});
