import { Html, html } from './html.ts';

/**
 * Internal response headers of the service that renders public pages. They describe a page to the gateway, which caches
 * it. Visitors do not get them.
 */
export const PAGE_HEADERS = {
  /** UUID of the page. */
  pageId: 'x-tocsin-page',
  /** UUID of the page's organization. */
  organizationId: 'x-tocsin-organization',
  /** Milliseconds after which the page must be rendered again, even if none of its data has changed. */
  validMs: 'x-tocsin-valid-ms',
  /** Time at which the page's monitors were last checked; absent if the page does not show it. */
  checkedAt: 'x-tocsin-checked-at',
  /** Whether the requested host belongs to one page: `yes` or `no`. Set at PAGE_HOST_PATH only. */
  isPageHost: 'x-tocsin-page-host',
};

/** Path at which a TLS proxy asks whether it may request a certificate for a host, in the query parameter `domain`. */
export const TLS_ASK_PATH = '/internal/tls-ask';

/** Path at which the gateway asks whether a host, in the query parameter `host`, belongs to one page. */
export const PAGE_HOST_PATH = '/internal/page-host';

/** Matches the time of the last check on a page. This time changes more often than the rest of the page. */
const CHECKED = /<time data-checked datetime="[^"]*">[^<]*<\/time>/;

/**
 * Renders the time at which a page's monitors were last checked.
 *
 * @param text The time as text.
 */
export function checkedTime(at: Date, text: string): Html {
  return html`<time data-checked datetime="${at.toISOString()}">${text}</time>`;
}

/** Returns a page without the time of the last check, so that pages that differ only in this time are equal. */
export function withoutCheckedTime(page: string): string {
  return page.replace(CHECKED, '');
}

/**
 * Returns the ETag of a page, without quotes: the version of its content and, after a dot, the time of the last check.
 * Visitors who have the page open need a new page only if the version of the content changed.
 */
export function pageTag(version: string, checkedAt: Date | undefined): string {
  return checkedAt ? `${version}.${checkedAt.getTime().toString(36)}` : version;
}

/** Returns the version of the content in an ETag, which may be weak. */
export function contentVersion(etag: string): string {
  return etag.replace(/^(?:W\/)?"|"$/g, '').split('.', 1)[0] ?? '';
}

// Tenant text can't contain these pieces of HTML, because its special characters are escaped.
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
