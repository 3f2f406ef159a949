import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { textsOf } from '../src/web/messages/texts.ts';
import { statusPageHtml } from '../src/web/status-page-html.ts';
import { aPublicPage } from './a-public-page.ts';

function weightOf(components: number, affected = 0): { kilobytes: number; nodes: number; text: string } {
  const { content, history, now } = aPublicPage({ components, affected });
  const { text } = statusPageHtml(content, {
    history,
    base: '/s/acme',
    url: 'https://status.example.com',
    texts: textsOf('en'),
    now,
  });
  const [, body = ''] = text.split('<body>');
  const nodes = body.match(/<[a-z]/g)?.length ?? 0;
  return { kilobytes: brotliCompressSync(text).length / 1024, nodes, text };
}

test.each([
  [50, 0, 30, 6_000],
  [50, 10, 30, 6_000],
  [300, 0, 60, 6_000],
  [300, 10, 60, 6_000],
])('a page with %d components, %d of them affected, has at most %d kB and %d nodes', (count, affected, kB, most) => {
  const { kilobytes, nodes, text } = weightOf(count, affected);
  expect(text.match(/<div class="bars">/g)).toHaveLength(count);
  expect(kilobytes).toBeLessThanOrEqual(kB);
  expect(nodes).toBeLessThanOrEqual(most);
  // Check that the document contains all components. Without some of them, it would have fewer nodes.
  expect(nodes).toBeGreaterThan(12 * count);
});

test('a long page opens only the groups in which something is wrong', () => {
  const open = / open>\s*<summary>/;
  expect(weightOf(20).text).toMatch(open);
  expect(weightOf(21).text).not.toMatch(open);
  expect(weightOf(21).text).toContain('All 15 operational');
  expect(weightOf(21, 1).text).toMatch(open);
  expect(weightOf(40, 1).text.match(new RegExp(open, 'g'))).toHaveLength(1);
  expect(weightOf(40, 16).text.match(new RegExp(open, 'g'))).toHaveLength(2);
  expect(weightOf(21, 1).text).toContain('Major outage (1\u00a0of\u00a015)');
});

test('a disruption lists ten of its components above what happened, and collapses the others', () => {
  const lists = (affected: number) =>
    [...weightOf(40, affected).text.matchAll(/<ul class="affected"[^>]*>(.*?)<\/ul>/gs)].map(
      ([, items]) => items?.match(/<li/g)?.length,
    );
  expect(lists(10)[0]).toBe(10);
  expect(lists(13).slice(0, 2)).toEqual([10, 3]);
  expect(weightOf(40, 13).text).toMatch(/<details class="earlier" id="affected-[^"]*">\s*<summary[^>]*>and 3 more</);
});
