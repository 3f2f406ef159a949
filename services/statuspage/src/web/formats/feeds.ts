import { type Html, html } from '@tocsin/html';
import { affectedOn, type DisruptionUpdate, type ShownDisruption } from '../../domain/disruption.ts';
import { periodHtml } from '../disruptions-html.ts';
import { Markdown } from '../markdown.ts';
import { publicText, publicTitle } from '../public-texts.ts';
import type { Shown } from './statuspage-v2.ts';

interface FeedEntry {
  readonly url: string;
  readonly title: string;
  readonly publishedAt: Date;
  readonly updatedAt: Date;
  /** Timeline, newest entry first, as HTML. */
  readonly content: string;
}

/** Renders an RSS 2.0 feed of a page, or of one of its components (https://www.rssboard.org/rss-specification). */
export function rssFeed(shown: Shown, title: string, selfUrl: string, componentId?: string): string {
  const entries = feedEntries(shown, componentId);
  return xml(html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${title}</title>
<link>${shown.url}</link>
<description>${title}</description>
<language>${shown.texts.locale}</language>
<atom:link href="${selfUrl}" rel="self" type="application/rss+xml"/>
<lastBuildDate>${lastChange(shown, entries).toUTCString()}</lastBuildDate>
${entries.map(
  ({ url, title: name, publishedAt, content }) => html`<item>
<title>${name}</title>
<link>${url}</link>
<guid>${url}</guid>
<pubDate>${publishedAt.toUTCString()}</pubDate>
<description>${content}</description>
</item>
`,
)}</channel>
</rss>`);
}

/** Renders an Atom feed of a page, or of one of its components (RFC 4287). */
export function atomFeed(shown: Shown, title: string, selfUrl: string, componentId?: string): string {
  const entries = feedEntries(shown, componentId);
  return xml(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${shown.texts.locale}">
<id>${selfUrl}</id>
<title>${title}</title>
<link rel="alternate" type="text/html" href="${shown.url}"/>
<link rel="self" type="application/atom+xml" href="${selfUrl}"/>
<updated>${lastChange(shown, entries).toISOString()}</updated>
<author><name>${shown.content.page.name}</name></author>
${entries.map(
  ({ url, title: name, publishedAt, updatedAt, content }) => html`<entry>
<id>${url}</id>
<title>${name}</title>
<link rel="alternate" type="text/html" href="${url}"/>
<published>${publishedAt.toISOString()}</published>
<updated>${updatedAt.toISOString()}</updated>
<content type="html">${content}</content>
</entry>
`,
)}</feed>`);
}

/** The only characters in validated texts that XML 1.0 does not allow. */
const NOT_IN_XML = /[\ufffe\uffff]/g;

function xml(document: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${document}\n`.replaceAll(NOT_IN_XML, '');
}

/**
 * Returns the disruptions of the page as entries, most recently changed first. If a component is given, returns only
 * the disruptions that affect it.
 */
function feedEntries(shown: Shown, componentId: string | undefined): FeedEntry[] {
  const { page, disruptions } = shown.content;
  const markdown = new Markdown();
  return disruptions.shown
    .filter(({ components }) => componentId === undefined || components.some(({ id }) => id === componentId))
    .map((disruption) => feedEntry(shown, disruption, { pageId: page.id, markdown }))
    .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime());
}

function feedEntry(
  shown: Shown,
  disruption: ShownDisruption,
  { pageId, markdown }: { pageId: string; markdown: Markdown },
): FeedEntry {
  const { texts } = shown;
  const affected = affectedOn(disruption, pageId);
  const entry = (update: DisruptionUpdate) => {
    const { text, isByPerson } = publicText(disruption, update, affected, texts);
    const content = isByPerson ? html`<div dir="auto">${markdown.html(text)}</div>` : html`<p>${text}</p>`;
    return html`<p><strong>${texts.text(`update.${update.status}`)}</strong> (${texts.time(update.postedAt)})</p>${content}`;
  };
  // A reader shows the time of the announcement, which must not be taken for the time of the maintenance.
  const period = disruption.type === 'maintenance' ? html`<p>${periodHtml(disruption, texts)}</p>` : undefined;
  const names = affected.map(({ name }) => html`<li><bdi>${name}</bdi></li>`);
  const components = names.length > 0 ? html`<p>${texts.text('affected.label')}:</p><ul>${names}</ul>` : undefined;
  const summary = html`${period}${components}`;
  return {
    url: `${shown.url}/incidents/${disruption.id}`,
    title: publicTitle(disruption, affected, texts),
    // A disruption may be announced before it starts, or entered after its end.
    publishedAt: disruption.createdAt,
    updatedAt: disruption.updates[0]?.postedAt ?? disruption.updatedAt,
    content: String(html`<div dir="${texts.direction}">${summary}${disruption.updates.map(entry)}</div>`),
  };
}

function lastChange({ content }: Shown, entries: readonly FeedEntry[]): Date {
  return entries[0]?.updatedAt ?? content.page.updatedAt;
}
