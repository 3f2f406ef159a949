import { isId } from '@tocsin/text';
import type { PublicPage } from '../../app/get-public-page.ts';
import type { Selection } from '../../domain/disruption.ts';
import { viewPage } from '../../domain/page-view.ts';
import { type Component, componentsOf } from '../../domain/tree.ts';
import type { Texts } from '../messages/texts.ts';
import { PREVIEWS } from '../previews.ts';
import { pageTitle } from '../public-texts.ts';
import { badge } from './badge.ts';
import { maintenanceCalendar } from './calendar.ts';
import { atomFeed, rssFeed } from './feeds.ts';
import { robotsTxt, sitemap } from './search-engines.ts';
import { type Shown, STATUSPAGE_V2 } from './statuspage-v2.ts';

/**
 * A file about a page in a format other than HTML, such as a feed or a badge. Scripts from every origin may read it,
 * because all of its content is public.
 */
export interface Resource {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Seconds for which caches may serve the resource; `unlimited` if the content at its URL never changes. */
  readonly maxAge: number | 'unlimited';
}

/** How long feeds and API v2 contain disruptions after their end. */
export const HISTORY_MS = 90 * 24 * 3_600_000;

const JSON_SECONDS = 30;
const FEED_SECONDS = 30;
const BADGE_SECONDS = 60;
const ROBOTS_SECONDS = 3_600;
const PREVIEW_SECONDS = 86_400;

type Render = (
  shown: Shown,
  path: string,
  component: Component | undefined,
) => Resource | undefined | Promise<Resource>;

function titleOf({ content: { page }, texts }: Shown, component: Component | undefined): string {
  const title = pageTitle(page.name, texts);
  if (!component) return title;
  return texts.text('page.title_of_component', { title, component: texts.isolate(component.name) });
}

const feed =
  (format: typeof rssFeed, contentType: string): Render =>
  (shown, path, component) => ({
    contentType,
    body: format(shown, titleOf(shown, component), `${shown.url}/${path}`, component?.id),
    maxAge: FEED_SECONDS,
  });

/** Resources that exist both for a page and for each component, by file name. */
const OF_BOTH: Readonly<Record<string, Render>> = {
  'history.rss': feed(rssFeed, 'application/rss+xml; charset=utf-8'),
  'history.atom': feed(atomFeed, 'application/atom+xml; charset=utf-8'),
  'badge.svg': async ({ content, view, texts }, _path, component) => {
    const ofComponent = component && (view.statuses.get(component.id) ?? 'no_data');
    const body = await (component && ofComponent
      ? badge(component.name, ofComponent, texts.text(`status.${ofComponent}`))
      : badge(content.page.name, view.status, texts.text(`headline.${view.status}`)));
    return { contentType: 'image/svg+xml; charset=utf-8', body, maxAge: BADGE_SECONDS };
  },
};

const OF_PAGE: Readonly<Record<string, Render>> = {
  ...OF_BOTH,
  'maintenance.ics': (shown) => ({
    contentType: 'text/calendar; charset=utf-8',
    body: maintenanceCalendar(shown, titleOf(shown, undefined)),
    maxAge: FEED_SECONDS,
  }),
  'robots.txt': ({ url, content: { page } }) => ({
    contentType: 'text/plain; charset=utf-8',
    body: robotsTxt(url, page),
    maxAge: ROBOTS_SECONDS,
  }),
  'sitemap.xml': (shown) =>
    shown.content.page.noindex
      ? undefined
      : { contentType: 'application/xml; charset=utf-8', body: sitemap(shown), maxAge: ROBOTS_SECONDS },
};

const OF_COMPONENT = /^components\/([^/]+)\/([^/]+)$/;

/** Returns whether a path below a page's address can be the path of a resource. */
export function isResourcePath(path: string): boolean {
  const [, , file] = OF_COMPONENT.exec(path) ?? [];
  if (file !== undefined) return Object.hasOwn(OF_BOTH, file);
  return Object.hasOwn(OF_PAGE, path) || PREVIEWS.has(path) || v2Document(path) !== undefined;
}

/**
 * Returns the disruptions that the resource at a path needs. The resources of a component need only the disruptions
 * that affect it.
 */
export function selectionForResource(path: string, now: Date): Selection {
  const [, componentId = ''] = OF_COMPONENT.exec(path) ?? [];
  return { since: new Date(now.getTime() - HISTORY_MS), ...(isId(componentId) && { componentId }) };
}

/** Renders the resource at a path below a page's address; undefined if there is none. */
export async function resourceAt(
  path: string,
  content: PublicPage,
  { url, texts }: { readonly url: string; readonly texts: Texts },
): Promise<Resource | undefined> {
  const components = content.entries.flatMap(componentsOf);
  const shown = { content, url, texts, view: viewPage(components, content.monitors, content.disruptions.shown) };
  const document = v2Document(path);
  if (document) {
    return {
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(document(shown)),
      maxAge: JSON_SECONDS,
    };
  }
  const preview = PREVIEWS.get(path);
  if (preview) return { contentType: 'image/png', body: preview, maxAge: PREVIEW_SECONDS };
  const [, id, file = ''] = OF_COMPONENT.exec(path) ?? [];
  if (id === undefined) return Object.hasOwn(OF_PAGE, path) ? OF_PAGE[path]?.(shown, path, undefined) : undefined;
  const component = components.find((candidate) => candidate.id === id);
  return component && Object.hasOwn(OF_BOTH, file) ? OF_BOTH[file]?.(shown, path, component) : undefined;
}

function v2Document(path: string): ((shown: Shown) => object) | undefined {
  const name = path.startsWith('api/v2/') ? path.slice('api/v2/'.length) : '';
  return Object.hasOwn(STATUSPAGE_V2, name) ? STATUSPAGE_V2[name] : undefined;
}
