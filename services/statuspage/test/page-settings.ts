import type { PageSettings } from '../src/domain/page.ts';

/** Settings of a new page. */
export const settings: PageSettings = {
  name: 'Shop',
  slug: 'shop',
  description: undefined,
  theme: 'system',
  primaryColor: undefined,
  logoLightUrl: undefined,
  logoDarkUrl: undefined,
  showThemeSwitcher: false,
  enabled: false,
  subscribersEnabled: false,
  showUptime: true,
  homepageUrl: undefined,
  supportUrl: undefined,
  locale: 'en',
  noindex: false,
};
