import { expect, test } from 'vitest';
import { Markdown, markdownHtml, markdownText } from './markdown.ts';

const link = (href: string, label: string) => `<a href="${href}" rel="nofollow noopener">${label}</a>`;

test.each<[string, string, string, string]>([
  ['plain text', 'We are on it.', '<p>We are on it.</p>', 'We are on it.'],
  [
    'bold and italic',
    '**bold** and *it* _too_',
    '<p><strong>bold</strong> and <em>it</em> <em>too</em></p>',
    'bold and it too',
  ],
  ['code', 'run `a <b>`', '<p>run <code>a &lt;b&gt;</code></p>', 'run a <b>'],
  ['a block of code', '```\na\n <b>\n```', '<pre><code>a\n &lt;b&gt;\n</code></pre>', 'a\n <b>'],
  ['line breaks', 'a\nb\n\nc', '<p>a<br>b</p><p>c</p>', 'a\nb\nc'],
  ['a list', 'so:\n- a\n- b', '<p>so:</p><ul><li>a</li><li>b</li></ul>', 'so:\n- a\n- b'],
  ['a numbered list', '1. a\n2. b', '<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
  ['a heading', '## News', '<p><strong>News</strong></p>', 'News'],
  [
    'a link',
    '[log](https://a.example/x?y=1&z)',
    `<p>${link('https://a.example/x?y=1&amp;z', 'log')}</p>`,
    'log (https://a.example/x?y=1&z)',
  ],
  [
    'a bare address',
    'see https://a.example.',
    `<p>see ${link('https://a.example', 'https://a.example')}.</p>`,
    'see https://a.example.',
  ],
  ['a mail address', '<a@b.example>', `<p>${link('mailto:a@b.example', 'a@b.example')}</p>`, 'a@b.example'],
  ['escaped characters', '\\*a\\* &amp;', '<p>*a* &amp;</p>', '*a* &'],
])('Markdown is rendered: %s', (_, markdown, html, text) => {
  expect(String(markdownHtml(markdown))).toBe(html);
  expect(markdownText(markdown)).toBe(text);
});

test.each<[string, string, string]>([
  [
    'HTML',
    '<b onclick="x">a</b><script>alert(1)</script>',
    '<p>&lt;b onclick=&quot;x&quot;&gt;a&lt;/b&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>',
  ],
  ['an HTML block', '<div>\n<img src=x>\n</div>', '<p>&lt;div&gt;<br>&lt;img src=x&gt;<br>&lt;/div&gt;</p>'],
  ['an escaped tag', '&lt;b&gt;', '<p>&lt;b&gt;</p>'],
  ['an image', '![x](https://a.example/x.png)', `<p>!${link('https://a.example/x.png', 'x')}</p>`],
  ['a script address', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['an encoded script address', '[x](java&#115;cript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['a data address', '[x](data:text/html,hi)', '<p>[x](data:text/html,hi)</p>'],
  [
    'an address without a scheme',
    '[x](/path) [y](//a.example) www.a.example',
    '<p>[x](/path) [y](//a.example) www.a.example</p>',
  ],
  ['another scheme', 'ftp://a.example <ftp://a.example>', '<p>ftp://a.example &lt;ftp://a.example&gt;</p>'],
  ['a quote, a rule and a table', '> a\n\n---\n\n|a|\n|-|', '<p>&gt; a</p><p>---</p><p>|a|<br>|-|</p>'],
  [
    'a definition of a link',
    '[x]\n\n[x]: https://a.example',
    `<p>[x]</p><p>[x]: ${link('https://a.example', 'https://a.example')}</p>`,
  ],
])('Markdown is shown as text: %s', (_, markdown, html) => {
  expect(String(markdownHtml(markdown))).toBe(html);
});

test('a quote in a URL does not end the href attribute', () => {
  for (const text of ['[x](https://a.example/"onmouseover="alert(1))', '<https://a.example/"onmouseover="alert(1)>']) {
    const [, href = ''] = /<a href="([^"]*)" rel="nofollow noopener">/.exec(String(markdownHtml(text))) ?? [];
    expect(href).toMatch(/^https:\/\/a\.example\/(?:%22|&quot;)onmouseover/);
  }
});

const HOSTILE = [
  '[',
  '![',
  '[](',
  '[a](',
  '[a](<',
  '*',
  '**a',
  '*a_',
  '[*',
  '_',
  '`',
  '``a`',
  '<',
  '- ',
  '- a\n',
  ' - -\n',
  '> ',
  '1. ',
]
  .concat(['http://', '<http:', '[x](http://y "', '&', '\\', '# ', '```\n', '*[a](b)', '"'])
  .map((piece): [string, string] => [piece, piece.repeat(10_000).slice(0, 10_000)]);

test.each([
  ...HOSTILE,
  ['nested brackets', '['.repeat(5_000) + ']'.repeat(5_000)],
  ['nested links', '['.repeat(2_500) + '](a)'.repeat(1_875)],
  ['nested asterisks', `${'*'.repeat(5_000)}a${'*'.repeat(4_999)}`],
  ['nested lists', Array.from({ length: 139 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n')],
  ['fences of all lengths', Array.from({ length: 140 }, (_, length) => `${'`'.repeat(length)}a`).join('')],
])('10,000 characters of %j are rendered quickly, and the HTML contains only allowed tags', (_, text) => {
  const began = performance.now();
  const html = String(markdownHtml(text));
  markdownText(text);
  expect(performance.now() - began).toBeLessThan(3_000);
  const tags = new Set(html.match(/<\/?[a-z]+/g)?.map((tag) => tag.replace(/^<\/?/, '')));
  expect(
    [...tags].filter((tag) => !['p', 'strong', 'em', 'code', 'pre', 'ul', 'ol', 'li', 'a', 'br'].includes(tag)),
  ).toEqual([]);
});

test('after 10,000 pieces of markup in a document, further texts are shown in full without formatting', () => {
  const markdown = new Markdown();
  const text = '**a** '.repeat(1_250);
  for (const _ of [1, 2]) expect(markdown.html(text).toString().startsWith('<p><strong>a</strong> ')).toBe(true);
  expect(String(markdown.html('two\nlines & **bold**'))).toBe('<p class="plain">two\nlines &amp; **bold**</p>');
  expect(markdown.text('**bold**')).toBe('**bold**');
  expect(String(markdown.html('no markup'))).toBe('<p>no markup</p>');
  expect(String(new Markdown().html('**bold**'))).toBe('<p><strong>bold</strong></p>');
});

test('a link counts as five pieces of markup', () => {
  const markdown = new Markdown();
  expect(String(markdown.html('http://a.example '.repeat(1_999)))).toContain('<a ');
  expect(String(markdown.html('*a* *b* *c'))).toContain('<em>');
  expect(String(markdown.html('*d'))).toContain('plain');
});
