import { type Html, html } from '@tocsin/html';
import type { PageHistory } from '../app/get-page-history.ts';
import type { PublicPage } from '../app/get-public-page.ts';
import type { StatusPage } from '../domain/page.ts';
import { lastChangeOf, viewPage } from '../domain/page-view.ts';
import { pageTitle } from '../domain/public-texts.ts';
import { isKnownStatus, type PageStatus, type ShownStatus } from '../domain/shown-status.ts';
import { componentsOf } from '../domain/tree.ts';
import { AS_OF_NOTICE } from './as-of-notice.ts';
import { componentsHtml } from './components-html.ts';
import { disruptionsHtml } from './disruptions-html.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { type Document, pageShell } from './page-shell.ts';
import { classOf, faviconOf, headlineOf, ICON_SHAPES, iconOf } from './status-look.ts';
import { THEME_SCRIPT, THEME_SWITCHER } from './theme-switcher.ts';
import { timeHtml } from './time-html.ts';

/** Properties of the request and the installation that affect how a page is rendered. */
export interface View {
  /** History of the components; undefined if the page does not show the uptime. */
  readonly history: PageHistory | undefined;
  /** Path of the page, without a slash at the end. */
  readonly base: string;
  readonly now: Date;
}

/** Renders the public page. */
export function statusPageHtml(
  { page, entries, disruptions, monitors }: PublicPage,
  { history, base, now }: View,
): Document {
  const components = entries.flatMap(componentsOf);
  const { status, statuses } = viewPage(components, monitors, disruptions.shown);
  const sections = disruptionsHtml(disruptions, { pageId: page.id, base }, now);
  const name = pageTitle(page.name);
  return pageShell({
    title: status === 'operational' ? name : `${headlineOf(status)} · ${page.name}`,
    description: page.description,
    social: { title: name, description: headlineOf(status) },
    icon: faviconOf(status),
    theme: page.theme,
    accent: page.primaryColor,
    scripts: [LIVE_SCRIPT, PAGE_SCRIPT, ...(page.showThemeSwitcher ? [THEME_SCRIPT] : [])],
    isLive: true,
    images: [page.logoLightUrl, page.logoDarkUrl].filter((url) => url !== undefined),
    body: html`${ICON_SHAPES}
  <div class="page">
    ${headHtml(page)}
    <main data-live>
      ${AS_OF_NOTICE}
      ${bannerHtml(status, [...statuses.values()])}
      ${sections.ongoing}${sections.soon}${sections.omittedOpen}
      ${componentsHtml(entries, statuses, history, now)}
      ${sections.later}
      ${sections.past}
    </main>
    <footer class="foot muted">
      <p data-live>Last updated ${timeHtml(lastChangeOf(page, components, disruptions.shown))}</p>
      <p><a href="${base}/history">History</a> · <a href="${base}/history.atom">Feed</a> · <a href="${base}/maintenance.ics">Calendar</a></p>
      ${page.showThemeSwitcher ? THEME_SWITCHER : undefined}
    </footer>
  </div>`,
  });
}

function headHtml(page: StatusPage): Html {
  return html`
    <header class="head">
      <div class="brand">${logoHtml(page)}<h1 dir="auto">${page.name}</h1></div>
      ${page.description ? html`<p class="muted prose" dir="auto">${page.description}</p>` : undefined}
    </header>`;
}

/**
 * Renders one logo for light and one for dark backgrounds. A single logo is used for both. The text alternative is
 * empty, because the page's name is next to the logo.
 */
function logoHtml({ logoLightUrl, logoDarkUrl }: StatusPage): Html | undefined {
  const image = (url: string, when: string) =>
    html`<img class="logo ${when}" src="${url}" alt="" height="40" referrerpolicy="no-referrer">`;
  const only = logoLightUrl === undefined ? logoDarkUrl : logoDarkUrl === undefined ? logoLightUrl : undefined;
  if (only !== undefined) return image(only, '');
  if (logoLightUrl === undefined || logoDarkUrl === undefined) return undefined;
  return html`${image(logoLightUrl, 'for-light')}${image(logoDarkUrl, 'for-dark')}`;
}

function bannerHtml(status: PageStatus, components: readonly ShownStatus[]): Html {
  const isShape = status !== 'no_components' && status !== 'partly_known';
  const affected = components.filter((one) => isKnownStatus(one) && one !== 'operational').length;
  const isSolid = isShape && isKnownStatus(status) && status !== 'operational';
  return html`
      <div class="card banner ${classOf(status)}${isSolid ? ' is-solid' : ''}" role="status">
        ${isShape ? iconOf(status) : undefined}
        <div>
          <h2 class="headline">${headlineOf(status)}</h2>
          ${affected > 0 ? html`<p>${affected} of ${components.length} ${components.length === 1 ? 'component' : 'components'} affected</p>` : undefined}
        </div>
      </div>`;
}
