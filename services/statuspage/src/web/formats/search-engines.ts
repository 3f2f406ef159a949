import { html } from '@tocsin/html';
import type { StatusPage } from '../../domain/page.ts';
import { componentsOf } from '../../domain/tree.ts';
import type { Shown } from './statuspage-v2.ts';

/**
 * Renders the robots.txt file of a host that serves only one page (RFC 9309). Crawling is allowed even if the page has
 * `noindex`, because crawlers must read a document to find that directive. If crawling were disallowed, search engines
 * could still list the page's address.
 */
export function robotsTxt(url: string, { noindex }: Pick<StatusPage, 'noindex'>): string {
  return `User-agent: *\nAllow: /\n${noindex ? '' : `Sitemap: ${url}/sitemap.xml\n`}`;
}

/**
 * Renders a page's sitemap: the addresses of the page, its history and its components. Disruptions are left out,
 * because the history has links to them. Source: https://www.sitemaps.org/protocol.html
 */
export function sitemap({ url, content }: Shown): string {
  const components = content.entries.flatMap(componentsOf).map(({ id }) => `${url}/components/${id}`);
  const items = [url, `${url}/history`, ...components].map((address) => html`<url><loc>${address}</loc></url>\n`);
  return `<?xml version="1.0" encoding="utf-8"?>
${html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${items}</urlset>`}
`;
}
