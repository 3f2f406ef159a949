import { expect, test } from 'vitest';
import { html } from './html.ts';

test('text is escaped in content and in attributes', () => {
  const nasty = `<script>alert("1")</script>&'`;
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';
  expect(String(html`<p title="${nasty}">${nasty}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('nested html is not escaped again, lists are joined, and undefined and false are left out', () => {
  const items = ['<', 2].map((item) => html`<li>${item}</li>`);
  expect(String(html`<ul>${items}${undefined}${false}</ul>`)).toBe('<ul><li>&lt;</li><li>2</li></ul>');
});
