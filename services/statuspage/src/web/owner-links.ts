import { type Html, html } from '@tocsin/html';
import type { StatusPage } from '../domain/page.ts';
import type { Texts } from './messages/texts.ts';

/** Renders the links to the owner's home page and support; undefined if there are none. */
export function ownerLinks(
  { homepageUrl, supportUrl }: Pick<StatusPage, 'homepageUrl' | 'supportUrl'>,
  texts: Texts,
): Html | undefined {
  if (homepageUrl === undefined && supportUrl === undefined) return undefined;
  const home = homepageUrl && html`<a href="${homepageUrl}" dir="ltr">${new URL(homepageUrl).host}</a>`;
  const support = supportUrl && html`<a href="${supportUrl}">${texts.text('links.support')}</a>`;
  return html`<p class="muted">${home}${home && support && ' · '}${support}</p>`;
}
