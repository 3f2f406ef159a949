import { readFileSync } from 'node:fs';
import { Html, html } from '@tocsin/html';
import MarkdownIt from 'markdown-it';
import { STYLES } from './styles.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);

/** Guides of one screen each, in the order in which they should be read, and documents with all the details. */
const GUIDES = [
  'first-monitor',
  'check-types',
  'heartbeats',
  'alerts',
  'status-page',
  'maintenance',
  'webhooks',
  'api',
  'agents',
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
  /** Whether it is a short guide, and not a document with all the details. */
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

/** Returns the navigation to all guides. */
export function guideLinks(guides: readonly Guide[]): Html {
  const list = (isShort: boolean) => html`<ul>${guides
    .filter((guide) => guide.isShort === isShort)
    .map(
      ({ name, title }) => html`
          <li><a href="/docs/guides/${name}"><span>${title}</span></a></li>`,
    )}
        </ul>`;
  return html`
        <h2>Guides</h2>
        ${list(true)}
        <h2>Details</h2>
        ${list(false)}`;
}

/** Returns an index of the documentation in the form of llmstxt.org. */
export function llmsText(guides: readonly Guide[], baseUrl: string): string {
  const lines = guides.map(({ name, title }) => `- [${title}](${baseUrl}/docs/guides/${name}.md)`);
  return `# Tocsin

> Uptime monitoring and status communication: monitors, alert channels, status pages, disruptions and webhooks, by a JSON API under ${baseUrl}/api/v1.

- [OpenAPI document](${baseUrl}/openapi.yaml)
${lines.join('\n')}
`;
}

/** Renders a guide as a page in the style of the reference. */
export function renderGuide(guide: Guide, guides: readonly Guide[]): string {
  const navigation = html`<nav aria-label="Guides">${guideLinks(guides)}
        <h2><a href="/docs">API reference</a></h2></nav>`;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${guide.title} · Tocsin</title>
  ${new Html(`<style>${STYLES}</style>`)}
</head>
<body>
  <a class="skip" href="#content">To the content</a>
  <details class="menu"><summary>Guides</summary>${navigation}</details>
  <div class="side"><p class="brand"><a href="/docs">Tocsin API</a></p>${navigation}</div>
  <main id="content" class="guide">
${guideHtml(guide)}
    <p class="muted">This page as <a href="/docs/guides/${guide.name}.md">Markdown</a></p>
  </main>
</body>
</html>
`.toString();
}

/** Renders the text of a guide. Parts that can be scrolled sideways can have the focus. */
function guideHtml({ markdown }: Guide): Html {
  return new Html(PARSER.render(markdown).replace(/<(pre|table)>/g, '<$1 tabindex="0">'));
}

const PARSER = new MarkdownIt({ html: false });
const NAMES = new Set([...GUIDES, ...DETAILS]);

// Links between guides lead to their pages. Links to other documents, which are not served, become text.
PARSER.core.ruler.push('guide-links', ({ tokens }) => {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const href = token.type === 'link_open' ? String(token.attrGet('href')) : '';
    const [, name, anchor = ''] = /([a-z-]+)\.md(#.*)?$/i.exec(href) ?? [];
    if (name === undefined || /^https?:/.test(href)) continue;
    if (NAMES.has(name)) token.attrSet('href', `/docs/guides/${name}${anchor}`);
    else token.attrs = [];
  }
});

// Headings have the anchors that GitHub gives them.
PARSER.core.ruler.push('heading-ids', ({ tokens }) => {
  for (const [index, token] of tokens.entries()) {
    const text = tokens[index + 1]?.content ?? '';
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(text));
  }
});

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
