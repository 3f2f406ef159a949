import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import type { PageSettings } from '../src/domain/page.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

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

/** Opens an empty database of the service, with the roles of an installation. */
export async function openPages() {
  await using stack = new AsyncDisposableStack();
  const storage = stack.use(await testDatabase('statuspage'));
  const { runtimeUrl: url, url: ownerUrl } = storage;
  const database = stack.use(await openDatabase({ url, ownerUrl, entities, migrations }));
  const owned = stack.move();
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
