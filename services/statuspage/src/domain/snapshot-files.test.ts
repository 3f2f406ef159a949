import { expect, test } from 'vitest';
import { isSnapshotKey, snapshotKey } from './snapshot-files.ts';

test.each([
  'index.html',
  'badge.svg',
  'history.rss',
  'history.atom',
  'history/2026-11.html',
  'api/v2/summary.json',
  'api/v2/incidents/unresolved.json',
  'logo/0123456789abcdef0123456789abcdef.svg',
  'preview/under_maintenance.png',
])('%s is a snapshot file', (path) => {
  expect(snapshotKey('acme', path)).toBe(`acme/${path}`);
  expect(isSnapshotKey(`acme/${path}`)).toBe(true);
});

test.each([
  ['..', 'index.html'],
  ['.', 'index.html'],
  ['', 'index.html'],
  ['a/b', 'index.html'],
  ['ac', 'index.html'],
  ['Acme', 'index.html'],
  ['acme\0', 'index.html'],
  ['acme\n', 'index.html'],
  ['/etc', 'index.html'],
  ['..\\..\\x', 'index.html'],
  ['acme', ''],
  ['acme', 'index.htm'],
  ['acme', 'notes.txt'],
  ['acme', '../other/index.html'],
  ['acme', 'history/../../x.html'],
  ['acme', 'api/v2/../../index.html'],
  ['acme', 'logo/../index.html'],
  ['acme', 'index.html\n'],
])('for the slug %j, the path %j is not a snapshot file', (slug, path) => {
  expect(() => snapshotKey(slug, path)).toThrow(TypeError);
  expect(isSnapshotKey(`${slug}/${path}`)).toBe(false);
});

test('alive.json and other files beside the page folders are not snapshot files', () => {
  for (const key of ['alive.json', 'index.html', 'acme', '']) expect(isSnapshotKey(key)).toBe(false);
});
