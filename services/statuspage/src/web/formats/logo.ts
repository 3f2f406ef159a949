import { getLogoImage } from '../../app/logos.ts';
import type { Deps } from '../../app/ports.ts';
import type { Logo, LogoFormat } from '../../domain/logo.ts';
import type { StatusPage } from '../../domain/page.ts';
import type { Resource } from './resources.ts';

const CONTENT_TYPES: Readonly<Record<LogoFormat, string>> = {
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  webp: 'image/webp',
};

/** Returns the image of a page's logo; undefined if the page has no such logo. */
export async function logoResource(deps: Deps, page: StatusPage, logo: Logo): Promise<Resource | undefined> {
  const { organizationId, id: pageId } = page;
  const body = await getLogoImage(deps, { organizationId, pageId }, logo);
  return body && { contentType: CONTENT_TYPES[logo.format], body, maxAge: 'unlimited' };
}
