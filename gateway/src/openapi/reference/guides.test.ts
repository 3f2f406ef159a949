import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Guide, guideMarkdown, llmsText, readGuides, renderGuide } from './guides.ts';

const guides = readGuides();

test('the list of guides has all files of docs/guides first, and then the detailed documents', () => {
  const files = readdirSync(new URL('../../../../docs/guides', import.meta.url));
  const short = guides.filter(({ isShort }) => isShort).map(({ name }) => `${name}.md`);
  expect(short.toSorted()).toEqual(files.toSorted());
  expect(guides.map(({ isShort }) => isShort).indexOf(false)).toBe(short.length);
  expect(guides.every(({ title }) => /^[A-Z]/.test(title))).toBe(true);
});

function rendered(markdown: string): string {
  const guide: Guide = { name: 'first-monitor', title: 'A <title>', markdown, isShort: true };
  return renderGuide(guide, { guides: [guide], sections: [] });
}

test.each([
  ['a guide', '[a](alerts.md)', '<a href="/docs/guides/alerts">a</a>'],
  [
    'a part of the details',
    '[a](../alert-channels.md#for-operators)',
    '<a href="/docs/guides/alert-channels#for-operators">a</a>',
  ],
  ['a document that is not served', '[a](../operations/kubernetes.md#x) b', 'a (docs/operations/kubernetes.md) b'],
  ['a file of the source code', '[`a`](../../deploy/compose.yaml)', '<code>a</code> (deploy/compose.yaml)'],
  ['another site', '[a](https://example.com/alerts.md)', '<a href="https://example.com/alerts.md">a</a>'],
])('in a guide, a link to $0 is rendered as $2', (_, markdown, html) =>
  expect(rendered(markdown)).toContain(`<p>${html}</p>`),
);

test("in a guide's Markdown, links to other guides lead to the Markdown of those guides", () => {
  const guide = { name: 'first-monitor', title: '', isShort: true };
  const markdown =
    '[a](alerts.md) [b](../oauth.md#scopes) [c](guides/moving.md) [d](../operations/kubernetes.md) [e](https://a.b/c.md)';
  expect(guideMarkdown({ ...guide, markdown })).toBe(
    '[a](alerts.md) [b](oauth.md#scopes) [c](moving.md) [d](../operations/kubernetes.md) [e](https://a.b/c.md)',
  );
});

test('a guide is rendered with its title and heading anchors, and HTML in it is shown as text', () => {
  const page = rendered('# One `two` three\n\n<b>x</b>\n\n```sh no-run reason="x"\na < b\n```');
  expect(page).toContain('<title>A &lt;title&gt; · Tocsin</title>');
  expect(page).toContain('<h1 id="one-two-three">One <code>two</code> three</h1>');
  expect(page).toContain('<p>&lt;b&gt;x&lt;/b&gt;</p>');
  expect(page).toContain('<code class="language-sh">a &lt; b');
});

test('llms.txt lists the OpenAPI document, the reference and every guide as Markdown', () => {
  const sections = [{ name: 'API keys', description: 'Credentials.\nAnd more.', operations: [] }];
  const text = llmsText({ guides, sections }, 'https://status.example');
  expect(text).toMatch(/^# Tocsin\n\n> /);
  expect(text).toContain('(https://status.example/openapi.yaml)');
  expect(text).toContain('(https://status.example/api/v1/openapi.json)');
  expect(text).toContain('- [API keys](https://status.example/docs/reference/api-keys.md): Credentials.\n');
  for (const { name, title } of guides)
    expect(text).toContain(`- [${title}](https://status.example/docs/guides/${name}.md)`);
});
