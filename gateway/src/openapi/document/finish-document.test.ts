import { expect, test } from 'vitest';
import { finishDocument } from './finish-document.ts';
import type { Document, Operation, Response, Schema } from './types.ts';

const error: Schema = { type: 'object', properties: { error: { type: 'object' } } };
const shop: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
/** The same fields as in `shop`, in another order. */
const sameShop: Schema = { properties: { name: { type: 'string' } }, required: ['name'], type: 'object' };
const changes: Schema = { type: 'object', properties: { open: { type: 'boolean', default: true } } };

function answering(data: Schema, more: Partial<Operation> = {}): Operation {
  const schema: Schema = { type: 'object', required: ['data'], properties: { data } };
  return {
    ...more,
    responses: {
      200: { description: 'Default', content: { 'application/json': { schema } } },
      404: { description: 'Default', content: { 'application/json': { schema: error } } },
    },
  };
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const finished = finishDocument(
  {
    openapi: '3.1.0',
    info: { title: 'Shops', version: '1' },
    paths: {
      '/api/v1/shops': {
        get: answering(
          { type: 'array', items: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } } },
          { parameters: [{ name: 'cursor', in: 'query', description: 'Where', schema: { type: 'string' } }] },
        ),
        post: answering(sameShop, { requestBody: { content: { 'application/json': { schema: shop } } } }),
      },
      '/api/v1/shops/{id}': {
        get: answering(shop, { parameters: [id] }),
        patch: answering(shop, {
          parameters: [id],
          requestBody: { content: { 'application/json': { schema: changes } } },
        }),
      },
    },
  },
  error,
);

function operation(path: string, method: string): Operation {
  const found = finished.paths[`/api/v1/shops${path}`]?.[method];
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
}

const dataOf = ({ responses }: Operation) =>
  (responses[200] as Response).content?.['application/json']?.schema.properties?.data;

test('equal schemas are described once, and are referenced by the same name', () => {
  const reference = { $ref: '#/components/schemas/Shop' };
  expect(dataOf(operation('/{id}', 'get'))).toEqual(reference);
  expect(dataOf(operation('', 'post'))).toEqual(reference);
  expect(operation('', 'post').requestBody?.content['application/json']?.schema).toEqual(reference);
  expect(finished.components?.schemas?.Shop).toEqual(shop);
});

test('the items of a list refer to a separate schema, whose name ends with Summary', () => {
  expect(dataOf(operation('', 'get'))).toEqual({ type: 'array', items: { $ref: '#/components/schemas/ShopSummary' } });
});

test('error responses are described once', () => {
  expect(operation('', 'get').responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
  expect(finished.components?.responses?.NotFound).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  });
});

test('PATCH bodies have no defaults', () => {
  expect(finished.components?.schemas?.UpdateShop?.properties).toEqual({ open: { type: 'boolean' } });
});

test('operations have only the parameters and headers that apply to them', () => {
  const names = (path: string, method: string) =>
    operation(path, method).parameters?.map((part) => ('$ref' in part ? part.$ref.split('/').at(-1) : part.name));
  expect(names('', 'get')).toEqual(['cursor', 'IfNoneMatch']);
  expect(names('', 'post')).toEqual(['IdempotencyKey']);
  expect(names('/{id}', 'get')).toEqual(['id', 'IfNoneMatch']);
  const headers = (path: string, method: string) =>
    Object.keys((operation(path, method).responses[200] as Response).headers ?? {});
  expect(headers('', 'get')).toContain('link');
  expect(headers('', 'post')).toContain('idempotency-replayed');
  expect(headers('/{id}', 'get')).toContain('etag');
  expect(operation('/{id}', 'get').responses).toHaveProperty('304');
});

test('two different schemas with the same name cause an error', () => {
  const other: Schema = { type: 'object', properties: { other: { type: 'string' } } };
  const document: Document = {
    ...finished,
    paths: { '/a/v1/shops/{id}': { get: answering(shop) }, '/b/v1/shops/{id}': { get: answering(other) } },
  };
  expect(() => finishDocument(document, error)).toThrow('two different schemas want to be called Shop');
});
