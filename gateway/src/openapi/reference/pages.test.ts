import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import type { Document, Operation } from '../document/types.ts';
import type { Guide } from './guides.ts';
import { indexMarkdown, sectionMarkdown } from './markdown.ts';
import { DOCS_POLICY } from './page.ts';
import { renderIndex } from './render-index.ts';
import { renderSection } from './render-section.ts';
import { searchIndex } from './search-index.ts';
import { sectionsOf } from './sections.ts';

const getShop: Operation = {
  operationId: 'getShop',
  summary: 'Get a shop',
  tags: ['Shops'],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'UUID of the shop',
      schema: { type: 'string', format: 'uuid', examples: ['0192'] },
    },
    { $ref: '#/components/parameters/Tag' },
  ],
  responses: {
    200: {
      description: 'Done',
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Shop' }, example: { name: 'Corner', open: null } },
      },
    },
    404: { $ref: '#/components/responses/NotFound' },
  },
  'x-permission': 'shops:read',
  'x-rate-bucket': 'read',
};

function documentOf(operation: Partial<Operation> = {}, method = 'get'): Document {
  return {
    openapi: '3.1.0',
    info: { title: 'Shops', version: '1.0.0', description: 'Sells `things`.\n\nAlways.' },
    servers: [{ url: 'https://shops.example.com' }],
    tags: [{ name: 'Shops', description: 'Where things are sold.' }],
    paths: { '/api/v1/shops/{id}': { [method]: { ...getShop, ...operation } } },
    components: {
      schemas: {
        Shop: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 255, description: 'What it is called' },
            open: { type: ['boolean', 'null'], default: true },
            shelves: { type: 'array', items: { $ref: '#/components/schemas/Shelf' } },
          },
        },
        Shelf: { type: 'object', properties: { size: { type: 'string', enum: ['small', 'large'] } } },
      },
      parameters: { Tag: { name: 'If-None-Match', in: 'header', schema: { type: 'string' } } },
      headers: { 'x-request-id': { description: 'Name of the request', schema: { type: 'string' } } },
      responses: {
        NotFound: {
          description: 'There is none',
          content: { 'application/json': { schema: { type: 'object' }, example: { error: { type: 'not_found' } } } },
        },
      },
    },
  };
}

function renderAll(document: Document): { index: string; section: string } {
  const contents = { guides: [], sections: sectionsOf(document) };
  const [{ name } = { name: '' }] = contents.sections;
  return { index: renderIndex(document, contents), section: renderSection(document, name, contents) };
}

const renderShops = (document: Document) => renderAll(document).section;

/** Returns the text of a page without its markup. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll(/<\/?(p|d[dt]|figcaption)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
}

test('an operation is shown with its permission, an example call and its responses', () => {
  const text = textOf(renderShops(documentOf()));
  expect(text).toContain('Get a shop GET /api/v1/shops/{id} Permission shops:read Rate bucket read Operation getShop');
  expect(text).toContain('id path · UUID required UUID of the shop');
  expect(text).toContain('If-None-Match header · string');
  expect(text).toContain(
    'curl \'https://shops.example.com/api/v1/shops/0192\' \\ -H "authorization: Bearer $TOCSIN_API_KEY"',
  );
  expect(text).toContain('{ "name": "Corner", "open": null }');
  expect(text).toContain('404 There is none');
});

test('fields are shown with type, bounds, default, description and nested fields', () => {
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Shop' } } } };
  const text = textOf(renderShops(documentOf({ requestBody: body }, 'put')));
  expect(text).toContain('name string, 1 to 255 characters required What it is called');
  expect(text).toContain('open boolean or null Default true');
  expect(text).toContain('shelves array of objects Fields of each size string One of small large');
});

test('a page describes each object in responses once, and marks only optional fields, as "may be absent"', () => {
  const envelope = { type: 'object', required: ['data'], properties: { data: { $ref: '#/components/schemas/Shop' } } };
  const content = { 'application/json': { schema: envelope, example: { data: { name: 'Corner' } } } };
  const page = renderShops(documentOf({ responses: { 200: { description: 'Done', content } } }));
  const text = textOf(page);
  expect(text).toContain('200 Done data Shop');
  expect(page).toContain('<a href="#object-Shop">Shop</a>');
  expect(page.match(/id="object-Shop"/g)).toHaveLength(1);
  expect(text).toContain('shelves array of Shelf · may be absent');
  expect(text).toContain('Shelf size string · may be absent One of small large');
  expect(text).toContain('name string, 1 to 255 characters What it is called');
  expect(text).toContain('open boolean or null · may be absent');
});

test("a tag's page links to its operations, and error statuses link to their explanations", () => {
  const { index, section } = renderAll(documentOf());
  const ids = new Set([...section.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...section.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets).toContain('getShop');
  expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  expect(section).toContain('href="/docs#error-404"');
  expect(index).toContain('<li id="error-404">');
});

test('the first page has an anchor for each operation and tag, so that links from before the split into pages still work', () => {
  const { index } = renderAll(documentOf());
  expect(index).toContain('<li id="getShop"><a data-moved href="/docs/reference/shops#getShop">');
  expect(index).toContain('<h3 id="tag-shops"><a data-moved href="/docs/reference/shops">Shops</a></h3>');
  for (const id of ['authentication', 'headers', 'errors', 'error-404']) expect(index).toContain(` id="${id}"`);
});

test('a sample is shown in every language, and the first language is selected', () => {
  const page = renderShops(documentOf());
  const choices = [...page.matchAll(/<input type="radio" name="language-getShop" value="(\w+)"( checked)?>/g)];
  expect(choices.map(([, value, checked]) => [value, checked !== undefined])).toEqual([
    ['curl', true],
    ['javascript', false],
    ['python', false],
    ['go', false],
  ]);
  for (const [, value] of choices) expect(page).toContain(`<pre tabindex="0" class="sample-${value}"><code>`);
});

const EVIL = `"><script>alert('1')</script><img src=x onerror=alert(1)>`;

test.each<[string, Partial<Operation>]>([
  ['summary', { summary: EVIL }],
  ['name', { operationId: EVIL }],
  ['permission', { 'x-permission': EVIL }],
  ['tag', { tags: [EVIL] }],
  ['parameter', { parameters: [{ name: EVIL, in: EVIL, description: EVIL, schema: { type: EVIL, pattern: EVIL } }] }],
  [
    'body',
    {
      requestBody: {
        content: {
          'application/json': {
            schema: {
              properties: { [EVIL]: { type: 'string', enum: [EVIL], default: EVIL, description: `\`${EVIL}\`` } },
            },
            example: { [EVIL]: [EVIL] },
          },
        },
      },
    },
  ],
  ['answer', { responses: { 200: { description: EVIL }, [EVIL]: { description: EVIL } } }],
])('markup in a %s is escaped', (_, operation) => {
  const { index, section } = renderAll(documentOf(operation, 'post'));
  expect(section).toContain('&lt;script&gt;');
  for (const page of [index, section]) expectNoMarkup(page);
});

test('markup in a method, a path, a title or a URL is escaped', () => {
  const { paths, ...others } = documentOf();
  const pages = renderAll({
    ...others,
    info: { title: EVIL, version: EVIL, description: EVIL },
    servers: [{ url: EVIL }],
    paths: { [`/${EVIL}`]: { [EVIL]: getShop } },
  });
  for (const page of Object.values(pages)) expectNoMarkup(page);
});

/** Expects a page to have only its own script, and no markup from the document. */
function expectNoMarkup(page: string): void {
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain('<img');
  expect(page).not.toContain(EVIL);
}

test('an apostrophe in an example is quoted for the shell', () => {
  const requestBody = { content: { 'application/json': { schema: {}, example: { name: "Jane's" } } } };
  expect(textOf(renderShops(documentOf({ requestBody }, 'post')))).toContain(`"name": "Jane'\\''s"`);
});

test.each(['style', 'script'])(
  'a page has one inline %s, which the content security policy allows, and loads nothing else',
  (name) => {
    for (const page of Object.values(renderAll(documentOf()))) {
      const [text = '', ...others] = [...page.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(
        ([, part]) => part,
      );
      expect(others).toEqual([]);
      expect(DOCS_POLICY).toContain(`${name}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`);
      const markup = page.replace(/<script>.*<\/script>/s, '');
      expect(markup).not.toMatch(/ (src|style|on\w+)=|<link (?!rel="alternate")|@import|url\(/);
      expect(markup).not.toContain('<script');
    }
    expect(DOCS_POLICY).toMatch(/^default-src 'none';/);
  },
);

test('the script on the pages can be parsed', () => {
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(renderShops(documentOf())) ?? [];
  expect(() => new vm.Script(script)).not.toThrow();
});

test('a reference to a missing component causes an error that names the component', () => {
  const responses = { 404: { $ref: '#/components/responses/Gone' } };
  expect(() => renderShops(documentOf({ responses }))).toThrow('#/components/responses/Gone');
});

test('the search index contains the fields of operations and the headings of guides, but no comments in code', () => {
  const guide: Guide = {
    name: 'opening',
    title: 'Open a shop',
    markdown: '# Open a shop\n\n## The `first` day\n\n```sh\n# Not a heading\n```\n\n## Later\n',
    isShort: true,
  };
  const body = { content: { 'application/json': { schema: { properties: { rent: { type: 'number' } } } } } };
  const document = documentOf({ requestBody: body }, 'put');
  expect(searchIndex(document, { guides: [guide], sections: sectionsOf(document) })).toEqual([
    {
      title: 'Get a shop',
      context: 'PUT /api/v1/shops/{id}',
      path: '/docs/reference/shops#getShop',
      words: 'Shops getShop id If-None-Match rent name open shelves size',
    },
    { title: 'Open a shop', context: 'Guide', path: '/docs/guides/opening', words: '' },
    { title: 'The first day', context: 'Open a shop', path: '/docs/guides/opening#the-first-day', words: '' },
    { title: 'Later', context: 'Open a shop', path: '/docs/guides/opening#later', words: '' },
  ]);
});

test('the Markdown of a section describes a named schema once', () => {
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Shop' } } } };
  const markdown = sectionMarkdown(documentOf({ requestBody: body }, 'put'), 'Shops');
  expect(markdown).toContain('# Shops\n\nWhere things are sold.\n\n## Get a shop\n\n`PUT /api/v1/shops/{id}` · ');
  expect(markdown).toContain('- `id` (path, UUID, required): UUID of the shop');
  expect(markdown).toContain('Body:\n\n- `Shop`\n');
  expect(markdown).toContain('- 200: Done\n  - `Shop`\n- 404: There is none');
  expect(markdown.match(/^### Shop$/gm)).toHaveLength(1);
  expect(markdown).toContain(
    '- `name` (string, 1 to 255 characters, required): What it is called\n- `open` (boolean or null); default `true`\n- `shelves` (array of `Shelf`)',
  );
  expect(markdown).toContain('### Shelf\n\n- `size` (string); one of `small`, `large`');
});

test('the Markdown of the first page lists the operations', () => {
  const document = documentOf();
  const markdown = indexMarkdown(document, sectionsOf(document));
  expect(markdown).toContain('### [Shops](/docs/reference/shops.md)');
  expect(markdown).toContain('- `GET /api/v1/shops/{id}`: Get a shop');
  expect(markdown).toContain('- 404: There is none');
});
