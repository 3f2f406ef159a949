import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Document, Operation } from '../document/types.ts';
import { DOCS_POLICY, renderDocs } from './render-docs.ts';

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

/** Returns the text of a page without its markup. */
function textOf(page: string): string {
  return page
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(/<\/?(p|d[dt]|figcaption)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');
}

test('an operation is shown with its permission, an example call and its responses', () => {
  const text = textOf(renderDocs(documentOf()));
  expect(text).toContain('Get a shop GET /api/v1/shops/{id} Permission shops:read Rate bucket read Operation getShop');
  expect(text).toContain('id path · UUID required UUID of the shop');
  expect(text).toContain('If-None-Match header · string');
  expect(text).toContain(
    'curl \'https://shops.example.com/api/v1/shops/0192\' \\ -H "authorization: Bearer $TOCSIN_KEY"',
  );
  expect(text).toContain('{ "name": "Corner", "open": null }');
  expect(text).toContain('404 There is none');
});

test('fields are shown with type, bounds, default, description and nested fields', () => {
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Shop' } } } };
  const text = textOf(renderDocs(documentOf({ requestBody: body }, 'put')));
  expect(text).toContain('name string, 1 to 255 characters required What it is called');
  expect(text).toContain('open boolean or null Default true');
  expect(text).toContain('shelves array of objects Fields of each size string One of small large');
});

test('response fields are marked as optional, not as required', () => {
  const text = textOf(renderDocs(documentOf()));
  expect(text).toContain('name string, 1 to 255 characters What it is called');
  expect(text).toContain('open boolean or null · may be absent');
});

test('the navigation links to every operation, and error statuses link to their explanations', () => {
  const page = renderDocs(documentOf());
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets).toContain('getShop');
  expect(targets).toContain('error-404');
  expect(targets.filter((target) => !ids.has(target))).toEqual([]);
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
  const page = renderDocs(documentOf(operation, 'post'));
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toMatch(/<script|<img/);
  expect(page).not.toContain(EVIL);
});

test('markup in a method, a path, a title or a URL is escaped', () => {
  const { paths, ...others } = documentOf();
  const page = renderDocs({
    ...others,
    info: { title: EVIL, version: EVIL, description: EVIL },
    servers: [{ url: EVIL }],
    paths: { [`/${EVIL}`]: { [EVIL]: getShop } },
  });
  expect(page).not.toMatch(/<script|<img/);
});

test('an apostrophe in an example is quoted for the shell', () => {
  const requestBody = { content: { 'application/json': { schema: {}, example: { name: "Jane's" } } } };
  expect(textOf(renderDocs(documentOf({ requestBody }, 'post')))).toContain(`"name": "Jane'\\''s"`);
});

test("the content security policy allows the page's only style sheet, and the page loads nothing else", () => {
  const page = renderDocs(documentOf());
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
  expect(styles).toHaveLength(1);
  const hash = createHash('sha256')
    .update(styles[0] ?? '')
    .digest('base64');
  expect(DOCS_POLICY).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  expect(page).not.toMatch(/ (src|style|on\w+)=|<link|@import|url\(/);
});

test('a reference to a missing component causes an error that names it', () => {
  const responses = { 404: { $ref: '#/components/responses/Gone' } };
  expect(() => renderDocs(documentOf({ responses }))).toThrow('#/components/responses/Gone');
});
