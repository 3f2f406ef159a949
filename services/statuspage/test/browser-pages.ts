import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import type { Locale } from '@tocsin/enums';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Entry } from '../src/domain/tree.ts';
import { textsOf } from '../src/web/messages/texts.ts';
import type { Document } from '../src/web/page-shell.ts';
import { statusPageHtml } from '../src/web/status-page-html.ts';
import { type SubPage, subPageHtml } from '../src/web/sub-pages.ts';
import { aPublicPage } from './a-public-page.ts';

/** Renders a page with generated content, or a page below it. */
export function render(options: Parameters<typeof aPublicPage>[0], locale: Locale = 'en', below?: SubPage): Document {
  const { content, history, now } = aPublicPage(options);
  const view = { history, base: '/s/northwind', url: 'https://status.example.com', texts: textsOf(locale), now };
  const subPage = below && subPageHtml(below, { content, ...view });
  return subPage ?? statusPageHtml(content, view);
}

/** Renders a page whose names have the maximum length and no place for a line break. */
function renderLongNames(): Document {
  const { content, history, now } = aPublicPage({ components: 3, affected: 3 });
  const name = 'W'.repeat(255);
  const entries = content.entries.map((entry): Entry => {
    if (entry.kind === 'component') return entry;
    const components = entry.components.map((component) => ({ ...component, name }));
    return { ...entry, group: { ...entry.group, name }, components };
  });
  const shown = content.disruptions.shown.map((disruption) => ({
    ...disruption,
    components: disruption.components.map((component) => ({ ...component, name })),
  }));
  const disruptions = { ...content.disruptions, shown };
  const long = { ...content, page: { ...content.page, name }, entries, disruptions };
  const view = { history, base: '/s/northwind', url: 'https://status.example.com', texts: textsOf('fr'), now };
  return statusPageHtml(long, view);
}

/** Documents by the path at which the server of openBrowser() responds with them. Tests may add some. */
export const documents: Record<string, Document> = {
  '/long-names': renderLongNames(),
  '/calm': render({ components: 8 }),
  '/outage': render({ components: 14, affected: 10 }),
  '/long': render({ components: 300, affected: 1 }),
  '/ar/calm': render({ components: 8 }, 'ar'),
  '/ar/outage': render({ components: 14, affected: 10 }, 'ar'),
  '/de/calm': render({ components: 8 }, 'de'),
  '/de/outage': render({ components: 14, affected: 10 }, 'de'),
  '/component': render({ components: 8, affected: 1 }, 'en', { kind: 'component', id: 'c0' }),
  '/subscribe': render({ components: 1 }, 'en', { kind: 'subscribe', step: 'invalid' }),
  '/ar/subscribe': render({ components: 1 }, 'ar', { kind: 'subscribe', step: 'sent' }),
  '/embed': render({ components: 14, affected: 10 }, 'en', { kind: 'embed' }),
  '/de/embed': render({ components: 8 }, 'de', { kind: 'embed' }),
};

/** Starts a server for `documents`, and a browser. */
export async function openBrowser() {
  const server = createServer((request, response) => {
    const document = documents[request.url?.split('?', 1)[0] ?? ''];
    if (!document) return response.writeHead(204).end();
    const { text, version, contentSecurityPolicy } = document;
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      etag: `"${version}"`,
      'content-security-policy': contentSecurityPolicy,
    };
    return response.writeHead(200, headers).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({
    executablePath: await installChromium(process.env),
    args: ['--no-sandbox'],
  });
  return {
    url,
    browser,
    /** Opens a page at a fixed time. */
    async open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      await page.clock.setFixedTime(new Date('2026-03-10T14:20:05Z'));
      await page.goto(`${url}${path}`);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.close();
    },
  };
}
