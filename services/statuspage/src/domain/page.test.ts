import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { settings } from '../../test/page-settings.ts';
import { changePage, checkPage, type PageSettings, type StatusPage } from './page.ts';

const page: StatusPage = {
  id: '01920000-0000-7000-8000-000000000001',
  organizationId: '01920000-0000-7000-8000-000000000002',
  ...settings,
  name: 'Acme',
  slug: 'acme',
  domain: undefined,
  domainToken: 'token',
  createdAt: new Date('2026-01-01T00:00:00Z'),
  updatedAt: new Date('2026-01-01T00:00:00Z'),
};
const later = new Date('2026-01-02T00:00:00Z');

function fieldsOf(changes: Partial<PageSettings>) {
  try {
    checkPage({ ...page, ...changes });
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
  return {};
}

test.each<Partial<PageSettings>>([
  { slug: 'abc' },
  { slug: 'a-1' },
  { slug: '0'.repeat(63) },
  { name: '😀'.repeat(255) },
  { description: `two\nlines ${'x'.repeat(900)}` },
  { primaryColor: '#a1B2c3' },
  { logoLightUrl: 'https://example.com/logo.svg', logoDarkUrl: 'http://example.com/dark.png' },
  { homepageUrl: 'https://example.com', supportUrl: `http://example.com/${'x'.repeat(2_029)}` },
])('the settings %j are valid', (changes) => expect(fieldsOf(changes)).toEqual({}));

const SLUG_WORDS = 'must be 3 to 63 lowercase letters, digits or hyphens, and not begin or end with a hyphen';

test.each<[Partial<PageSettings>, string, string]>([
  [{ slug: '' }, 'slug', 'is required'],
  [{ slug: 'ab' }, 'slug', SLUG_WORDS],
  [{ slug: 'x'.repeat(64) }, 'slug', SLUG_WORDS],
  [{ slug: '-abc' }, 'slug', SLUG_WORDS],
  [{ slug: 'abc-' }, 'slug', SLUG_WORDS],
  [{ slug: 'Acme' }, 'slug', SLUG_WORDS],
  [{ slug: 'a_b' }, 'slug', SLUG_WORDS],
  [{ slug: 'abc\n' }, 'slug', SLUG_WORDS],
  [{ name: '' }, 'name', 'is required'],
  [{ name: '😀'.repeat(256) }, 'name', 'must be at most 255 characters'],
  [{ name: 'a\nb' }, 'name', 'must not contain control characters'],
  [{ description: 'x'.repeat(1001) }, 'description', 'must be at most 1000 characters'],
  [{ description: 'a\u0000b' }, 'description', 'must not contain control characters'],
  [{ primaryColor: '#abc' }, 'primary_color', 'must be a hex color such as #1A2B3C'],
  [{ primaryColor: '#12345;' }, 'primary_color', 'must be a hex color such as #1A2B3C'],
  [{ logoLightUrl: 'javascript:alert(1)' }, 'logo_light_url', 'must be an http or https URL'],
  [{ logoLightUrl: 'https://exa mple.com' }, 'logo_light_url', 'must be an http or https URL'],
  [{ logoDarkUrl: '' }, 'logo_dark_url', 'must be an http or https URL'],
  [{ homepageUrl: 'javascript:alert(1)' }, 'homepage_url', 'must be an http or https URL'],
  [{ homepageUrl: 'example.com' }, 'homepage_url', 'must be an http or https URL'],
  [{ supportUrl: 'mailto:help@example.com' }, 'support_url', 'must be an http or https URL'],
  [{ supportUrl: `http://example.com/${'x'.repeat(2_030)}` }, 'support_url', 'must be at most 2048 characters'],
])('the settings %j are refused with an error of the field %s', (changes, field, words) =>
  expect(fieldsOf(changes)).toEqual({ [field]: [words] }),
);

test("all errors in a page's settings are returned at once", () => {
  expect(Object.keys(fieldsOf({ name: '', slug: '!', primaryColor: 'red' }))).toEqual([
    'name',
    'slug',
    'primary_color',
  ]);
});

test('a change sets the given fields and updated_at, but if the values are equal, the same page is returned', () => {
  const changed = changePage(page, { name: 'Acme Inc.', description: undefined }, later);
  expect(changed).toEqual({ ...page, name: 'Acme Inc.', updatedAt: later });
  expect(changePage(page, { name: 'Acme' }, later)).toBe(page);
  expect(changePage(page, {}, later)).toBe(page);
});

test('a name that was saved under older rules stays valid until it is changed', () => {
  const old = { ...page, name: 'Ac\u202eme' };
  expect(changePage(old, { name: old.name, enabled: true }, later)).toEqual({
    ...old,
    enabled: true,
    updatedAt: later,
  });
  const refusal = expect.objectContaining({ fields: { name: ['must not contain control characters'] } });
  expect(() => changePage(old, { name: 'Acme\u202e' }, later)).toThrow(refusal);
  expect(() => changePage(page, { name: old.name }, later)).toThrow(refusal);
});
