import { getPageHistory } from '../app/get-page-history.ts';
import { getPublicPage } from '../app/get-public-page.ts';
import type { Deps, SnapshotFile } from '../app/ports.ts';
import type { Snapshot } from '../app/snapshot-writer.ts';
import type { Selection } from '../domain/disruption.ts';
import { logoPath } from '../domain/logo.ts';
import { viewPage } from '../domain/page-view.ts';
import { pageUrl } from '../domain/public-url.ts';
import { componentsOf } from '../domain/tree.ts';
import { logoResource } from './formats/logo.ts';
import { HISTORY_MS, resourceAt } from './formats/resources.ts';
import { STATUSPAGE_V2 } from './formats/statuspage-v2.ts';
import { textsOf } from './messages/texts.ts';
import type { Document } from './page-shell.ts';
import { previewPath } from './previews.ts';
import { statusPageHtml } from './status-page-html.ts';
import { type SubPage, selectionFor, subPageHtml } from './sub-pages.ts';

/** Paths of the API files, the feeds and the badge in a snapshot. */
const RESOURCES = [
  ...Object.keys(STATUSPAGE_V2).map((name) => `api/v2/${name}`),
  'history.rss',
  'history.atom',
  'badge.svg',
];

/**
 * Maximum duration for which a rendered page is valid. Even an unchanged page must be rendered again, because it shows
 * when its monitors were last checked.
 */
const MAX_VALID_MS = 10 * 60_000;

/**
 * Renders a public page as static files. Returns undefined if there is no such page. Links in the files lead to the
 * public address of the page. The logos are files in the snapshot, except SVGs, which are embedded in the page.
 */
export async function renderSnapshot(deps: Deps, slug: string): Promise<Snapshot | undefined> {
  const now = deps.now();
  const load = (selection?: Selection) => getPublicPage(deps, { slug }, selection);
  const content = await load();
  const recent = await load({ since: new Date(now.getTime() - HISTORY_MS) });
  if (!content || !recent) return undefined;
  const history = await getPageHistory(deps, content);
  const base = pageUrl(content.page, deps.address);
  const texts = textsOf(content.page.locale);

  const files = new Map<string, SnapshotFile>();
  const embeddedLogos = new Map<string, string>();
  for (const logo of Object.values(content.logos)) {
    const resource = await logoResource(deps, content.page, logo);
    if (!resource) continue;
    // An SVG can contain scripts, and a static host sends no policy that prevents them. Inside of an image, no script
    // runs.
    if (logo.format === 'svg') embeddedLogos.set(logoPath(logo), dataUrl(resource));
    else files.set(logoPath(logo), resource);
  }
  const { status } = viewPage(content.entries.flatMap(componentsOf), content.monitors, content.disruptions.shown);
  for (const path of [...RESOURCES, previewPath(status)]) {
    const resource = await resourceAt(path, recent, { url: base, texts });
    if (resource) files.set(path, resource);
  }
  for (const offset of [-1, 0]) {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset));
    const month = { kind: 'month', year: start.getUTCFullYear(), month: start.getUTCMonth() + 1 } satisfies SubPage;
    const shown = await load(selectionFor(month, now));
    const page =
      shown &&
      subPageHtml(month, { content: shown, history: undefined, base, url: base, texts, now, isSnapshot: true });
    if (page) files.set(`history/${start.toISOString().slice(0, 7)}.html`, htmlFile(page));
  }
  files.set(
    'index.html',
    htmlFile(statusPageHtml(content, { history, base, url: base, texts, now, isSnapshot: true, embeddedLogos })),
  );
  return { slug, files, validMs: Math.min(MAX_VALID_MS, content.unchangedMs) };
}

function dataUrl({ contentType, body }: SnapshotFile): string {
  return `data:${contentType.replaceAll(' ', '')};base64,${Buffer.from(body).toString('base64')}`;
}

function htmlFile({ text }: Document): SnapshotFile {
  return { contentType: 'text/html; charset=utf-8', body: text };
}
