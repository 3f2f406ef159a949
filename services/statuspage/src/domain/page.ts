import type { Locale, Theme } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { parseHttpUrl, problemOfLine, problemOfProse } from '@tocsin/text';
import type { CustomDomain } from './custom-domain.ts';

/** Settings of a page, as its owner chooses them. */
export interface PageSettings {
  readonly name: string;
  readonly slug: string;
  readonly description: string | undefined;
  readonly theme: Theme;
  /** Color as `#RRGGBB`. */
  readonly primaryColor: string | undefined;
  readonly logoLightUrl: string | undefined;
  readonly logoDarkUrl: string | undefined;
  readonly showThemeSwitcher: boolean;
  /** Whether the page is public. */
  readonly enabled: boolean;
  readonly subscribersEnabled: boolean;
  readonly showUptime: boolean;
  /** URLs of the owner's website and support, to which the page links. */
  readonly homepageUrl: string | undefined;
  readonly supportUrl: string | undefined;
  readonly locale: Locale;
  /** Whether search engines are asked not to list the page. */
  readonly noindex: boolean;
}

export interface StatusPage extends PageSettings {
  readonly id: string;
  readonly organizationId: string;
  /** Custom domain; undefined if there is none. */
  readonly domain: CustomDomain | undefined;
  /**
   * Value of the TXT record that proves the ownership of a custom domain. It is the same for every domain of the page.
   */
  readonly domainToken: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
const COLOR = /^#[0-9a-f]{6}$/i;
const MAX_URL = 2048;

/**
 * Checks a page's settings. Absent settings are not checked.
 * @throws ServiceError `invalid` that lists all invalid fields.
 */
export function checkPage(page: Partial<PageSettings>): void {
  const errors = new FieldErrorCollector();
  if (page.name !== undefined) errors.add('name', problemOfLine(page.name, 255));
  if (page.slug === '') errors.add('slug', 'is required');
  else if (page.slug !== undefined && !isSlug(page.slug)) {
    errors.add('slug', 'must be 3 to 63 lowercase letters, digits or hyphens, and not begin or end with a hyphen');
  }
  errors.add('description', problemOfProse(page.description ?? '', 1000));
  if (page.primaryColor !== undefined && !COLOR.test(page.primaryColor)) {
    errors.add('primary_color', 'must be a hex color such as #1A2B3C');
  }
  checkUrl(errors, 'logo_light_url', page.logoLightUrl);
  checkUrl(errors, 'logo_dark_url', page.logoDarkUrl);
  checkUrl(errors, 'homepage_url', page.homepageUrl);
  checkUrl(errors, 'support_url', page.supportUrl);
  errors.throwIfAny();
}

export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/**
 * Returns the page with the changes applied. Returns the same object if nothing changes. Unchanged settings stay valid,
 * even if they were saved under older rules.
 * @throws ServiceError `invalid` that lists all invalid fields.
 */
export function changePage(page: StatusPage, changes: Partial<PageSettings>, now: Date): StatusPage {
  const names = Object.keys(changes) as (keyof PageSettings)[];
  const changed = names.filter((name) => changes[name] !== page[name]);
  if (changed.length === 0) return page;
  checkPage(Object.fromEntries(changed.map((name) => [name, changes[name]])));
  return { ...page, ...changes, updatedAt: now };
}

function checkUrl(errors: FieldErrorCollector, field: string, text: string | undefined): void {
  if (text === undefined) return;
  if (text.length > MAX_URL) errors.add(field, `must be at most ${MAX_URL} characters`);
  else if (!parseHttpUrl(text)) errors.add(field, 'must be an http or https URL');
}
