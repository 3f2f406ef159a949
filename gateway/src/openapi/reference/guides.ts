import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Html } from '@tocsin/html';
import MarkdownIt, { type Token } from 'markdown-it';
import { type Contents, navigationHtml } from './navigation.ts';
import { renderPage } from './page.ts';
import { pathOf } from './sections.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);

/** One-screen guides in the order in which they should be read, followed by the detailed documents. */
const GUIDES = [
  'first-monitor',
  'check-types',
  'heartbeats',
  'alerts',
  'status-page',
  'maintenance',
  'webhooks',
  'api',
  'oauth-programs',
  'calling-grpc',
  'agents',
  'regions',
  'moving',
  'operating',
];
const DETAILS = [
  'command-line',
  'checks',
  'synthetic-checks',
  'states',
  'alert-channels',
  'mail',
  'accounts',
  'oauth',
  'grpc',
];

/** A document for users of the API, which is served at `/docs/guides/<name>`. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
  /** Whether this is a short guide, as opposed to a detailed document. */
  readonly isShort: boolean;
}

/** Reads all guides. */
export function readGuides(): Guide[] {
  return [
    ...GUIDES.map((name) => readGuide(name, `guides/${name}.md`, true)),
    ...DETAILS.map((name) => readGuide(name, `${name}.md`, false)),
  ];
}

function readGuide(name: string, path: string, isShort: boolean): Guide {
  const markdown = readFileSync(new URL(path, DOCS), 'utf8');
  return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown, isShort };
}

/** Returns an index of the documentation in the llmstxt.org format. */
export function llmsText({ guides, sections }: Contents, baseUrl: string): string {
  const guideLines = (isShort: boolean) =>
    guides
      .filter((guide) => guide.isShort === isShort)
      .map(({ name, title }) => `- [${title}](${baseUrl}/docs/guides/${name}.md)`)
      .join('\n');
  const reference = sections.map(
    (section) => `- [${section.name}](${baseUrl}${pathOf(section.name)}.md): ${section.description.split('\n', 1)[0]}`,
  );
  return `# Tocsin

> Uptime monitoring and status communication: monitors, alert channels, status pages, disruptions and webhooks, by a JSON API under ${baseUrl}/api/v1.

## Guides

${guideLines(true)}

## API reference

- [All operations, authentication and errors](${baseUrl}/docs.md)
- [OpenAPI document](${baseUrl}/openapi.yaml), and [as JSON](${baseUrl}/api/v1/openapi.json)
${reference.join('\n')}

## Details

${guideLines(false)}
`;
}

/** Renders a guide as a page in the style of the reference. */
export function renderGuide(guide: Guide, contents: Contents): string {
  const path = `/docs/guides/${guide.name}`;
  return renderPage({
    title: `${guide.title} · Tocsin`,
    navigation: navigationHtml(contents, path),
    markdown: `${path}.md`,
    kind: 'guide',
    content: guideHtml(guide),
  });
}

/** Returns a guide as Markdown. Links to other guides lead to their Markdown. */
export function guideMarkdown({ markdown }: Guide): string {
  return markdown.replace(/\]\((?!https?:)(?:[\w./-]*\/)?([\w-]+)\.md(#[^)]*)?\)/g, (link, name, anchor = '') =>
    NAMES.has(name) ? `](${name}.md${anchor})` : link,
  );
}

/** Renders the text of a guide. Code blocks and tables are focusable, so that the keyboard can scroll them sideways. */
function guideHtml({ name, markdown, isShort }: Guide): Html {
  const path = isShort ? `docs/guides/${name}.md` : `docs/${name}.md`;
  return new Html(PARSER.render(markdown, { path }).replace(/<(pre|table)>/g, '<$1 tabindex="0">'));
}

const PARSER = new MarkdownIt({ html: false });
const NAMES = new Set([...GUIDES, ...DETAILS]);

// Links between guides lead to their pages. Links to other files, which are not served, become text, followed by the
// path of the file in the source code.
PARSER.core.ruler.push('guide-links', ({ tokens, env }) => {
  let file: string | undefined;
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_close' && file !== undefined) {
      becomeText(token, ` (${file})`);
      file = undefined;
    }
    const href = token.type === 'link_open' ? String(token.attrGet('href')) : '';
    if (href === '' || /^(https?:|#|\/)/.test(href)) continue;
    const [, name = '', anchor = ''] = /([a-z-]+)\.md(#.*)?$/i.exec(href) ?? [];
    if (NAMES.has(name)) token.attrSet('href', `/docs/guides/${name}${anchor}`);
    else {
      file = posix.join(posix.dirname(String(env.path)), href.replace(/#.*$/, ''));
      becomeText(token, '');
    }
  }
});

function becomeText(token: Token, content: string): void {
  Object.assign(token, { type: 'text', tag: '', nesting: 0, attrs: null, content });
}

// Headings have the anchors that GitHub gives them.
PARSER.core.ruler.push('heading-ids', ({ tokens }) => {
  for (const [index, token] of tokens.entries()) {
    const text = tokens[index + 1]?.content ?? '';
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(text));
  }
});

/** Returns the anchor that GitHub generates for a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
