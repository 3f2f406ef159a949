import { html } from '@tocsin/html';
import type { PublicPage } from '../app/get-public-page.ts';
import { viewPage } from '../domain/page-view.ts';
import { componentsOf } from '../domain/tree.ts';
import { asOfHtml } from './as-of-notice.ts';
import { LIVE_SCRIPT } from './live-script.ts';
import type { Texts } from './messages/texts.ts';
import { type Document, pageShell } from './page-shell.ts';
import { pageTitle } from './public-texts.ts';
import { classOf } from './status-look.ts';
import { COLOR_STYLES } from './styles.ts';

/** Script that applies the theme named in the query. The stored document is the same for every query. */
const THEME_SCRIPT = `
const theme = new URLSearchParams(location.search).get('theme');
if (['system', 'light', 'dark'].includes(theme)) document.documentElement.dataset.theme = theme;
`;

const STYLES = `
${COLOR_STYLES}
body { margin: 0; font: .9375rem/1.4 system-ui, sans-serif; color: var(--text); }
.embed { margin: 0; }
.embed a { display: flex; align-items: center; gap: .625rem; padding: .625rem .875rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--card); color: inherit; text-decoration: none; }
.embed a:hover { border-color: var(--muted); }
.embed a:focus-visible { outline: 2px solid var(--text); outline-offset: -2px; }
.dot { flex: none; width: .75rem; height: .75rem; border-radius: 50%; background: var(--status); }
.as-of { margin: 0 0 .25rem; color: var(--muted); font-size: .8125rem; }
.as-of:not([hidden]) + .embed { --status: var(--unknown); }
@media (forced-colors: active) { .dot { forced-color-adjust: none; } }
@media print { :root { color-scheme: light; } }
`;

/**
 * Renders the status of a page in one line, for a frame on the owner's other sites. The line is a link to the page. The
 * document polls instead of receiving events, because a frame on a popular site would use all connections of a replica.
 */
export function embedHtml(
  { page, entries, monitors, disruptions }: PublicPage,
  { base, texts }: { readonly base: string; readonly texts: Texts },
): Document {
  const { status } = viewPage(entries.flatMap(componentsOf), monitors, disruptions.shown);
  return pageShell({
    texts,
    title: pageTitle(page.name, texts),
    theme: page.theme,
    noindex: true,
    styles: STYLES,
    scripts: [THEME_SCRIPT, LIVE_SCRIPT],
    isLive: 'by polling',
    mayBeFramed: true,
    body: html`
  <main data-live>
    ${asOfHtml(texts)}<p class="embed ${classOf(status)}"><a href="${base || '/'}" target="_blank" rel="noopener"><span class="dot"></span><span role="status">${texts.text(`headline.${status}`)}</span></a></p>
  </main>`,
  });
}
