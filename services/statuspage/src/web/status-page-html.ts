import { checkedTime, type Html, html } from '@tocsin/html';
import type { PageHistory } from '../app/get-page-history.ts';
import type { PublicPage } from '../app/get-public-page.ts';
import type { LastChecks } from '../domain/last-checks.ts';
import { type Logo, logoPath, type PageLogos } from '../domain/logo.ts';
import type { StatusPage } from '../domain/page.ts';
import { lastChangeOf, viewPage } from '../domain/page-view.ts';
import { isKnownStatus, type PageStatus, type ShownStatus } from '../domain/shown-status.ts';
import { componentsOf } from '../domain/tree.ts';
import { asOfHtml } from './as-of-notice.ts';
import { componentsHtml } from './components-html.ts';
import { disruptionsHtml } from './disruptions-html.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import { Markdown } from './markdown.ts';
import type { Texts } from './messages/texts.ts';
import { ownerLinks } from './owner-links.ts';
import { pageScript } from './page-script.ts';
import { type Document, pageShell } from './page-shell.ts';
import { previewPath } from './previews.ts';
import { pageTitle } from './public-texts.ts';
import { classOf, faviconOf, ICON_SHAPES, iconOf } from './status-look.ts';
import { subscribeForm } from './subscribe-html.ts';
import { THEME_SCRIPT, themeSwitcher } from './theme-switcher.ts';
import { absoluteTimeHtml, timeHtml } from './time-html.ts';

/** Properties of the request and the installation that affect how a page is rendered. */
export interface View {
  /** History of the components; undefined if the page does not show the uptime. */
  readonly history: PageHistory | undefined;
  /** Path or URL of the page, without a slash at the end. */
  readonly base: string;
  /** Absolute URL of the page, without a slash at the end. */
  readonly url: string;
  readonly texts: Texts;
  readonly now: Date;
  /** Whether the page is a file in a snapshot. The logos are then beside it, or in `embeddedLogos`. */
  readonly isSnapshot?: boolean;
  /** `data:` URLs of logos by the path of the logo. */
  readonly embeddedLogos?: ReadonlyMap<string, string>;
}

/** Renders the public page. */
export function statusPageHtml(
  { page, entries, disruptions, monitors, lastChecks, logos }: PublicPage,
  { history, base, url, texts, now, isSnapshot = false, embeddedLogos }: View,
): Document {
  const components = entries.flatMap(componentsOf);
  const { status, statuses } = viewPage(components, monitors, disruptions.shown);
  const markdown = new Markdown();
  const sections = disruptionsHtml(disruptions, { pageId: page.id, base, texts, markdown }, now);
  const name = pageTitle(page.name, texts);
  const sourceOf = (logo: Logo) => embeddedLogos?.get(logoPath(logo)) ?? `${isSnapshot ? '.' : base}/${logoPath(logo)}`;
  const headline = texts.text(`headline.${status}`);
  return pageShell({
    texts,
    title:
      status === 'operational'
        ? name
        : texts.text('page.title_with_status', { headline, name: texts.isolate(page.name) }),
    description: page.description && markdown.text(page.description),
    canonical: url,
    social: { title: name, description: headline, image: `${url}/${previewPath(status)}` },
    icon: faviconOf(status),
    theme: page.theme,
    noindex: page.noindex,
    accent: page.primaryColor,
    scripts: [LIVE_SCRIPT, pageScript(texts), ...(page.showThemeSwitcher ? [THEME_SCRIPT] : [])],
    isLive: true,
    snapshot: isSnapshot ? { pageId: page.id, alivePath: '../alive.json' } : undefined,
    hasImages: logos.light !== undefined || logos.dark !== undefined,
    hasForm: page.subscribersEnabled && !isSnapshot,
    body: html`${ICON_SHAPES}
  <div class="page">
    ${headHtml(page, { texts, markdown, logo: logoHtml(logos, sourceOf) })}
    <main data-live>
      ${asOfHtml(texts)}
      ${bannerHtml(status, [...statuses.values()], { lastChecks, texts })}
      ${sections.ongoing}${sections.soon}${sections.omittedOpen}
      ${componentsHtml(entries, statuses, history, { base, texts, markdown, now })}
      ${sections.later}
      ${sections.past}
    </main>
    <footer class="foot muted">
      ${page.subscribersEnabled && !isSnapshot ? subscribeForm(base, texts) : undefined}
      <p data-live>${texts.html('footer.last_updated', { time: timeHtml(lastChangeOf(page, components, disruptions.shown), texts) })}</p>
      <p>${page.subscribersEnabled && isSnapshot ? html`<a href="${base}/subscribe">${texts.text('subscribe.title')}</a> · ` : undefined}<a href="${base}/history">${texts.text('footer.history')}</a> · <a href="${base}/history.atom">${texts.text('footer.feed')}</a> · <a href="${base}/maintenance.ics">${texts.text('footer.calendar')}</a></p>
      ${page.showThemeSwitcher ? themeSwitcher(texts) : undefined}
    </footer>
  </div>`,
  });
}

function headHtml(
  page: StatusPage,
  { texts, markdown, logo }: { texts: Texts; markdown: Markdown; logo: Html | undefined },
): Html {
  return html`
    <header class="head">
      <div class="brand">${logo}<h1><bdi>${page.name}</bdi></h1></div>
      ${page.description ? html`<div class="muted prose" dir="auto">${markdown.html(page.description)}</div>` : undefined}
      ${ownerLinks(page, texts)}
    </header>`;
}

/**
 * Renders one logo for light and one for dark backgrounds. A single logo is used for both. The text alternative is
 * empty, because the page's name is next to the logo.
 */
function logoHtml({ light, dark }: PageLogos, sourceOf: (logo: Logo) => string): Html | undefined {
  const image = (logo: Logo, when: string) =>
    html`<img class="logo ${when}" src="${sourceOf(logo)}" alt="" height="40">`;
  if (light && dark) return html`${image(light, 'for-light')}${image(dark, 'for-dark')}`;
  const only = light ?? dark;
  return only && image(only, '');
}

function bannerHtml(
  status: PageStatus,
  components: readonly ShownStatus[],
  { lastChecks, texts }: { lastChecks: LastChecks; texts: Texts },
): Html {
  const isShape = status !== 'no_components' && status !== 'partly_known';
  const affected = components.filter((one) => isKnownStatus(one) && one !== 'operational').length;
  const isSolid = isShape && isKnownStatus(status) && status !== 'operational';
  return html`
      <div class="card banner ${classOf(status)}${isSolid ? ' is-solid' : ''}">
        ${isShape ? iconOf(status) : undefined}
        <div>
          <div role="status">
            <h2 class="headline">${texts.text(`headline.${status}`)}</h2>
            ${affected > 0 ? html`<p>${texts.text('banner.affected', { affected, count: components.length })}</p>` : undefined}
          </div>
          ${lastChecksHtml(lastChecks, texts)}
        </div>
      </div>`;
}

/**
 * Renders the time of the monitors' last check. The text is outside of the status element, because screen readers read
 * that element aloud after each change.
 */
function lastChecksHtml(lastChecks: LastChecks, texts: Texts): Html | undefined {
  switch (lastChecks.kind) {
    case 'checked': {
      const time = checkedTime(lastChecks.at, texts.time(lastChecks.at));
      return html`<p>${texts.html('banner.checked', { time })}</p>`;
    }
    case 'stopped':
      return html`<p>${texts.html('banner.not_checked', { since: absoluteTimeHtml(lastChecks.since, texts) })}</p>`;
    case 'unknown':
      return html`<p>${texts.html('banner.checks_unknown', { since: absoluteTimeHtml(lastChecks.since, texts) })}</p>`;
    case 'none':
      return undefined;
  }
}
