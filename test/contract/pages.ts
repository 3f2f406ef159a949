import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { type Fixture, newPage } from './fixture.ts';

interface Page {
  readonly id: string;
  readonly slug: string;
  readonly url: string;
  readonly logo_error: string | null;
}

/** Expected `logo_error` of a page with an example logo: null, and later an error, because the logos do not exist. */
const NULL_OR_TEXT = expect.toSatisfy((value) => value === null || typeof value === 'string');

const accepted: [string, object][] = [
  ['a name of 255 characters of four bytes', { name: '😀'.repeat(255) }],
  ['the shortest slug', { slug: 'a-1' }],
  ['the longest slug', { slug: `a${'-'.repeat(61)}z` }],
  ['a description of 1000 characters of four bytes', { description: '😀'.repeat(1_000) }],
  ['a description of two lines', { description: 'One\nTwo' }],
  ['an empty description', { description: '' }],
  ['a theme', { theme: 'dark' }],
  ['a color', { primary_color: '#1A2b3C' }],
  ['logos', { logo_light_url: 'https://acme.example/logo.svg', logo_dark_url: 'http://acme.example/dark.png?x=1#y' }],
  ['all switches', { show_theme_switcher: true, enabled: true, subscribers_enabled: true }],
  ['hidden uptime', { show_uptime: false }],
  ['addresses of its owner', { homepage_url: 'https://acme.example/', support_url: 'http://acme.example/help?x=1#y' }],
  ['a language', { locale: 'ar' }],
  ['no listing by search engines', { noindex: true }],
  [
    'null in every nullable field',
    {
      description: null,
      primary_color: null,
      logo_light_url: null,
      logo_dark_url: null,
      homepage_url: null,
      support_url: null,
    },
  ],
];

const refused: [object, string][] = [
  [{ name: '' }, 'name'],
  [{ name: '😀'.repeat(256) }, 'name'],
  [{ slug: 'ab' }, 'slug'],
  [{ slug: 'a'.repeat(64) }, 'slug'],
  [{ slug: 'Acme' }, 'slug'],
  [{ slug: '-acme' }, 'slug'],
  [{ slug: 'acme-' }, 'slug'],
  [{ slug: 'ac me' }, 'slug'],
  [{ slug: 'acmé' }, 'slug'],
  [{ slug: 'acme\n' }, 'slug'],
  [{ description: '😀'.repeat(1_001) }, 'description'],
  [{ theme: 'blue' }, 'theme'],
  [{ primary_color: '#12345' }, 'primary_color'],
  [{ primary_color: '#12345g' }, 'primary_color'],
  [{ primary_color: 'red' }, 'primary_color'],
  [{ logo_light_url: 'javascript:alert(1)' }, 'logo_light_url'],
  [{ logo_dark_url: '/logo.svg' }, 'logo_dark_url'],
  [{ show_theme_switcher: 'yes' }, 'show_theme_switcher'],
  [{ enabled: 1 }, 'enabled'],
  [{ subscribers_enabled: 'true' }, 'subscribers_enabled'],
  [{ show_uptime: 1 }, 'show_uptime'],
  [{ homepage_url: 'acme.example' }, 'homepage_url'],
  [{ support_url: 'mailto:help@acme.example' }, 'support_url'],
  [{ locale: 'en-GB' }, 'locale'],
  [{ noindex: 'yes' }, 'noindex'],
];

const nullable = ['description', 'primary_color', 'logo_light_url', 'logo_dark_url', 'homepage_url', 'support_url'];
const notNullable = [
  ...['name', 'slug', 'theme', 'show_theme_switcher', 'enabled', 'subscribers_enabled', 'show_uptime'],
  ...['locale', 'noindex'],
];

export function fieldsOfPages(fixture: () => Fixture): void {
  test('absent fields of a new page have their defaults', async () => {
    const { mine, network } = fixture();
    expect(await mine.create('/status-pages', { name: 'Acme', slug: 'acme' })).toEqual({
      id: expect.any(String),
      name: 'Acme',
      slug: 'acme',
      status: 'unknown',
      description: null,
      theme: 'system',
      primary_color: null,
      logo_light_url: null,
      logo_dark_url: null,
      show_theme_switcher: false,
      enabled: false,
      subscribers_enabled: false,
      show_uptime: true,
      homepage_url: null,
      support_url: null,
      locale: 'en',
      noindex: false,
      logo_error: null,
      custom_domain: null,
      domain_status: 'none',
      url: `${network.baseUrl}/s/acme`,
      components: [],
      inserted_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  test.each(accepted)('a page with %s is accepted', async (_, changes) => {
    const { mine } = fixture();
    const page = await mine.create<Page>('/status-pages', newPage(changes));
    expect(page).toMatchObject(changes);
    const path = `/status-pages/${page.id}`;
    const data = { ...page, logo_error: NULL_OR_TEXT };
    expect((await mine.call('GET', path)).body).toEqual({ data });
    expect((await mine.call('PATCH', path, changes)).body).toEqual({ data });
  });

  test.each(['name', 'slug'])('a new page without %s is refused', async (field) => {
    const response = await fixture().mine.call('POST', '/status-pages', newPage({ [field]: undefined }));
    expect(response).toMatchObject({ status: 422 });
    expect(response.body).toHaveProperty('error.errors', { [field]: ['is required'] });
  });

  test.each(refused)('a page with %j is refused with an error for %s', async (changes, field) => {
    const { mine } = fixture();
    const before = await mine.create<Page>('/status-pages', newPage());
    for (const response of [
      await mine.call('POST', '/status-pages', newPage(changes)),
      await mine.call('PATCH', `/status-pages/${before.id}`, changes),
    ]) {
      expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
      expect(Object.keys((response.body as { error: { errors: object } }).error.errors)).toEqual([field]);
    }
    expect((await mine.call('GET', `/status-pages/${before.id}`)).body).toEqual({ data: before });
  });

  test('a slug is unique across all organizations', async () => {
    const { mine, theirs } = fixture();
    const { slug } = await mine.create<Page>('/status-pages', newPage());
    const taken = { status: 422, body: { error: { errors: { slug: ['is taken'] } } } };
    for (const { call } of [mine, theirs]) {
      expect(await call('POST', '/status-pages', newPage({ slug }))).toMatchObject(taken);
    }
    const other = await theirs.create<Page>('/status-pages', newPage());
    expect(await theirs.call('PATCH', `/status-pages/${other.id}`, { slug })).toMatchObject(taken);
  });

  test('a PATCH changes only the fields in its body, and null clears a field', async () => {
    const { mine, network } = fixture();
    const full = {
      description: 'All of Acme',
      theme: 'light',
      primary_color: '#112233',
      logo_light_url: 'https://acme.example/light.svg',
      logo_dark_url: 'https://acme.example/dark.svg',
      homepage_url: 'https://acme.example/',
      support_url: 'https://acme.example/help',
      show_theme_switcher: true,
    };
    const before = await mine.create<Page>('/status-pages', newPage(full));
    const path = `/status-pages/${before.id}`;
    const { logo_error: _, ...renamed } = { ...before, slug: `${before.slug}-2`, updated_at: expect.any(String) };
    expect((await mine.call('PATCH', path, { slug: renamed.slug })).body).toEqual({
      data: { ...renamed, url: `${network.baseUrl}/s/${renamed.slug}`, logo_error: NULL_OR_TEXT },
    });

    const cleared = Object.fromEntries(nullable.map((field) => [field, null]));
    expect(await mine.call('PATCH', path, cleared)).toMatchObject({
      status: 200,
      body: { data: { ...cleared, theme: 'light', show_theme_switcher: true } },
    });
    const response = await mine.call('PATCH', path, Object.fromEntries(notNullable.map((field) => [field, null])));
    expect(response.body).toHaveProperty(
      'error.errors',
      Object.fromEntries(notNullable.map((field) => [field, ['must not be null']])),
    );
  });

  test('a page contains the reason why its logo cannot be fetched, and no longer contains it after the logo is removed', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/status-pages', newPage({ logo_dark_url: 'http://10.0.0.1/logo.png' }));
    const path = `/status-pages/${id}`;
    const errorNow = async () => ((await mine.call('GET', path)).body as { data: Page }).data.logo_error;
    await eventually(async () =>
      expect(await errorNow()).toMatch(/^logo_dark_url: 10\.0\.0\.1 is not a public address/),
    );
    expect(await mine.call('PATCH', path, { logo_dark_url: null })).toMatchObject({
      status: 200,
      body: { data: { logo_error: null } },
    });
  });

  test('a list of pages does not contain their structures', async () => {
    const { mine } = fixture();
    await mine.create('/status-pages', newPage());
    const { body } = await mine.call('GET', '/status-pages');
    for (const page of (body as { data: object[] }).data) expect(page).not.toHaveProperty('components');
  });
}
