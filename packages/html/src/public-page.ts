import { Html, html } from './html.ts';

/**
 * Internal response headers with which the service that renders public pages describes a page to the gateway that
 * stores it. Visitors do not get them.
 */
export const PAGE_HEADERS = {
  /** UUID of the page. */
  pageId: 'x-tocsin-page',
  /** UUID of the page's organization. */
  organizationId: 'x-tocsin-organization',
  /** Milliseconds for which the page stays valid if nothing is changed. */
  validMs: 'x-tocsin-valid-ms',
};

// Texts of tenants can't contain these pieces of HTML, because special characters in texts are escaped.
const HIDDEN = '<p class="card as-of" role="status" hidden>';
const SHOWN = '<p class="card as-of" role="status">';
const TIME = '<time datetime="as-of">as-of</time>';

/**
 * Renders the notice that a page may be outdated. It is hidden until showAsOf() or a script shows it and sets the time.
 *
 * @param sentence Returns the sentence with the time inserted.
 */
export function asOfNotice(sentence: (time: Html) => Html): Html {
  return html`${new Html(HIDDEN)}${sentence(new Html(TIME))}</p>`;
}

/** Returns a page with its notice shown, for a page that was current at `at`. */
export function showAsOf(page: string, at: Date): string {
  const [date, time = ''] = at.toISOString().split('T');
  const shown = `<time datetime="${at.toISOString()}">${date} ${time.slice(0, 5)} UTC</time>`;
  return page.replace(HIDDEN, SHOWN).replace(TIME, shown);
}
