import { html } from '@tocsin/html';
import type { Shown } from './statuspage-v2.ts';

/** Renders the crawler rules for a host that serves only one page (RFC 9309). */
export function robotsTxt(url: string): string {
  return `User-agent: *\nAllow: /\nSitemap: ${url}/sitemap.xml\n`;
}

/** Renders the addresses of a page's documents for search engines. Source: https://www.sitemaps.org/protocol.html */
export function sitemap({ url }: Shown): string {
  return `<?xml version="1.0" encoding="utf-8"?>
${html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${url}</loc></url>
</urlset>`}
`;
}
