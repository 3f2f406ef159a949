import { asOfNotice, type Html, html } from '@tocsin/html';
import type { PublicPage } from '../app/get-public-page.ts';
import { STATUSES_IN_FORCE } from '../domain/disruption.ts';
import type { StatusPage } from '../domain/page.ts';
import { type PageStatus, pageStatus, shownStatus } from '../domain/shown-status.ts';
import type { Component, Entry } from '../domain/tree.ts';
import { componentsHtml } from './components-html.ts';
import { ongoingHtml, pastHtml } from './disruptions-html.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { type Document, pageShell } from './page-shell.ts';
import { classOf, headlineOf, iconOf } from './status-look.ts';
import { THEME_SCRIPT, THEME_SWITCHER } from './theme-switcher.ts';
import { timeHtml } from './time-html.ts';

/** Renders the public page. The output depends only on the data, so its ETag stays valid until something changes. */
export function statusPageHtml({ page, entries, disruptions, monitors }: PublicPage): Document {
  const components = entries.flatMap(componentsOf);
  const shown = new Map(
    components.map(({ id, status, monitors: links }) => {
      const linked = links.map(({ monitorId }) => monitors.get(monitorId));
      return [id, shownStatus([status], linked)] as const;
    }),
  );
  // The shown disruptions suffice, because they include the worst open ones.
  const inForce = disruptions.shown.filter(({ status }) => STATUSES_IN_FORCE.includes(status));
  const status = pageStatus([...shown.values()], inForce);
  const times = [
    page.updatedAt,
    ...components.flatMap(({ updatedAt, statusChangedAt }) => [updatedAt, statusChangedAt]),
    ...disruptions.shown.map(({ updatedAt }) => updatedAt),
  ];
  const lastUpdated = new Date(Math.max(...times.map((time) => time.getTime())));
  return pageShell({
    title: `${page.name} status`,
    description: page.description,
    theme: page.theme,
    accent: page.primaryColor,
    scripts: [LIVE_SCRIPT, ...(page.showThemeSwitcher ? [THEME_SCRIPT] : [])],
    isLive: true,
    images: [page.logoLightUrl, page.logoDarkUrl].filter((url) => url !== undefined),
    body: html`
  <div class="page">
    ${headHtml(page)}
    <main data-live>
      ${AS_OF_NOTICE}
      ${bannerHtml(status)}
      ${ongoingHtml(disruptions, page.id)}
      ${componentsHtml(entries, shown)}
      ${pastHtml(disruptions, page.id)}
    </main>
    <footer class="foot muted">
      <p data-live>Last updated ${timeHtml(lastUpdated)}</p>
    </footer>
  </div>`,
  });
}

const AS_OF_NOTICE = asOfNotice(
  (time) => html`This page can not be updated at the moment. It shows what was known as of ${time}.`,
);

function headHtml(page: StatusPage): Html {
  return html`
    <header class="head">
      <div>
        ${logoHtml(page)}
        <h1 dir="auto">${page.name}</h1>
        ${page.description ? html`<p class="muted prose" dir="auto">${page.description}</p>` : undefined}
      </div>
      ${page.showThemeSwitcher ? THEME_SWITCHER : undefined}
    </header>`;
}

/**
 * Renders one logo for light and one for dark backgrounds; a single logo is used for both. The page's name next to it
 * is the text alternative.
 */
function logoHtml({ logoLightUrl, logoDarkUrl }: StatusPage): Html | undefined {
  const image = (url: string, when: string) =>
    html`<img class="logo ${when}" src="${url}" alt="" loading="lazy" referrerpolicy="no-referrer">`;
  const only = logoLightUrl === undefined ? logoDarkUrl : logoDarkUrl === undefined ? logoLightUrl : undefined;
  if (only !== undefined) return image(only, '');
  if (logoLightUrl === undefined || logoDarkUrl === undefined) return undefined;
  return html`${image(logoLightUrl, 'for-light')}${image(logoDarkUrl, 'for-dark')}`;
}

function bannerHtml(status: PageStatus): Html {
  const isShape = status !== 'no_components' && status !== 'partly_known';
  return html`
      <p class="card banner ${classOf(status)}">
        ${isShape ? iconOf(status) : undefined} <span>${headlineOf(status)}</span>
      </p>`;
}

function componentsOf(entry: Entry): readonly Component[] {
  return entry.kind === 'group' ? entry.components : [entry.component];
}
