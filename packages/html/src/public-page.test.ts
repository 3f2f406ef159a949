import { expect, test } from 'vitest';
import { html } from './html.ts';
import { asOfNotice, checkedTime, contentVersion, pageTag, showAsOf, withoutCheckedTime } from './public-page.ts';

const page = (name: string) =>
  String(html`<h1 title="${name}">${name}</h1>${asOfNotice((time) => html`As of ${time}.`)}`);

test('the notice that a page may be outdated is hidden until showAsOf() shows it with a time', () => {
  const hidden = page('Acme');
  expect(hidden).toMatch(
    /<p class="card as-of" role="status" hidden>As of <time datetime="as-of">as-of<\/time>\.<\/p>/,
  );
  const shown = showAsOf(hidden, new Date('2026-11-23T01:02:03Z'));
  expect(shown).toContain(
    '<p class="card as-of" role="status">As of <time datetime="2026-11-23T01:02:03.000Z">2026-11-23 01:02 UTC</time>.</p>',
  );
  expect(shown.replace(/<p class="card as-of.*/, '')).toBe(hidden.replace(/<p class="card as-of.*/, ''));
});

test('text of a tenant that looks like the notice about outdated data stays unchanged', () => {
  const imitation = page('<p class="card as-of" role="status" hidden><time datetime="as-of">as-of</time>');
  const [heading = ''] = imitation.split('</h1>');
  expect(showAsOf(imitation, new Date(0)).startsWith(heading)).toBe(true);
});

test('showAsOf() does not change a page without the notice', () => {
  expect(showAsOf('<p>Hello</p>', new Date(0))).toBe('<p>Hello</p>');
});

test('pages that differ only in the time of the last check are equal after withoutCheckedTime()', () => {
  const checked = (at: Date, name: string) => String(html`<h1>${name}</h1>${checkedTime(at, at.toUTCString())}`);
  const imitation = '<time data-checked datetime="x">y</time>';
  const first = checked(new Date(0), imitation);
  expect(first).toContain(
    '<time data-checked datetime="1970-01-01T00:00:00.000Z">Thu, 01 Jan 1970 00:00:00 GMT</time>',
  );
  expect(withoutCheckedTime(first)).toBe(withoutCheckedTime(checked(new Date(1), imitation)));
  expect(withoutCheckedTime(first)).not.toBe(withoutCheckedTime(checked(new Date(0), 'Acme')));
});

test('the ETag of a page contains the version of its content', () => {
  expect(pageTag('a-b_c', undefined)).toBe('a-b_c');
  const [first, second] = [pageTag('a-b_c', new Date(0)), pageTag('a-b_c', new Date(1))];
  expect(first).not.toBe(second);
  for (const tag of ['a-b_c', first, `"${first}"`, `W/"${second}"`]) expect(contentVersion(tag)).toBe('a-b_c');
  expect(contentVersion('')).toBe('');
});
