import { toLimits } from '@tocsin/enums';
import { createRuntime } from '@tocsin/runtime';
import fastify from 'fastify';
import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Credentials } from '../src/clients/credentials.ts';
import { NoContent, route } from '../src/endpoint/route.ts';
import { addJsonBodies, addValidation } from '../src/endpoint/validation.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addAdmission } from '../src/plugins/admission.ts';
import { addAuthentication } from '../src/plugins/authenticate.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addIgnoredFields } from '../src/plugins/ignored-fields.ts';

const credentials: Credentials = {
  async exchange(secret) {
    const organization = { id: secret, accountNumber: 1, name: secret };
    const credential = { id: secret, kind: 'api_key', name: secret, permissions: [] } as const;
    return { tokens: {}, organization, credential, limits: toLimits({}) };
  },
  drop() {},
};

const app = fastify();
const READ_ONLY = Array.from({ length: 25 }, (_, index) => `field_${index}`);
/** Names of the operations that were carried out. */
let done: string[] = [];
const handler = (name: string) => async () => {
  done.push(name);
  return null;
};

beforeAll(() => {
  addValidation(app);
  addJsonBodies(app);
  addErrorHandlers(app);
  addAuthentication(app, credentials, new AddressWindows(0));
  addAdmission(app, createRuntime('gateway', { logLevel: 'error' }));
  addIgnoredFields(app);
  const common = { summary: 'Thing', tag: 'Monitors', status: 204, response: NoContent } as const;
  const query = Type.Object({
    limit: Type.Optional(Type.Integer({ maximum: 9 })),
    state: Type.Optional(Type.String({ enum: ['up', 'down'] })),
  });
  const body = Type.Object({ name: Type.Optional(Type.String()) });
  const response = Type.Object({
    data: Type.Object(Object.fromEntries(READ_ONLY.map((name) => [name, Type.Optional(Type.String())]))),
  });
  for (const add of [
    route({ ...common, method: 'GET', path: '/things', query, handle: handler('list') }),
    route({ ...common, method: 'GET', path: '/things/one', handle: handler('get') }),
    route({ ...common, method: 'PATCH', path: '/things/one', body, handle: handler('change') }),
    route({
      ...common,
      method: 'PUT',
      path: '/things',
      body,
      response,
      status: 200,
      handle: async () => ({ data: {} }),
    }),
    route({ ...common, method: 'DELETE', path: '/things/one', handle: handler('delete') }),
    route({ ...common, method: 'POST', path: '/things/one/test', handle: handler('test') }),
  ]) {
    add(app);
  }
});
beforeEach(() => {
  done = [];
});
afterAll(() => app.close());

type Method = 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
const call = (method: Method, url: string, payload?: object) =>
  app.inject({ method, url, headers: { authorization: 'Bearer key' }, ...(payload && { payload }) });

test.each<[Method, string]>([
  ['DELETE', '/things/one?validate_only=true'],
  ['DELETE', '/things/one?validate_only='],
  ['DELETE', '/things/one?validate_only=false&validate_only=true'],
  ['POST', '/things/one/test?validate_only=true'],
])('%s %s does nothing, because there is no body to validate', async (method, url) => {
  const response = await call(method, url);
  expect(response.statusCode).toBe(422);
  const reason = "can't be used here: this request can't be validated without carrying it out; nothing was done";
  expect(response.json()).toEqual({
    error: { type: 'validation_error', message: `validate_only ${reason}`, errors: { validate_only: [reason] } },
  });
  expect(done).toEqual([]);
});

test.each<[Method, string, string]>([
  ['DELETE', '/things/one', 'delete'],
  ['DELETE', '/things/one?validate_only=false', 'delete'],
  ['POST', '/things/one/test?validate_only=false', 'test'],
])('%s %s is carried out', async (method, url, name) => {
  const response = await call(method, url);
  expect(response.statusCode).toBe(204);
  expect(response.headers).not.toHaveProperty('x-tocsin-ignored');
  expect(done).toEqual([name]);
});

test.each<[Method, string, string | undefined]>([
  ['GET', '/things?limit=1&state=up', undefined],
  ['GET', '/things', undefined],
  ['GET', '/things?', undefined],
  ['GET', '/things?status=down&limit=1', '?status'],
  ['GET', '/things?status=down&status=up&constructor=1&__proto__=1', '?status, ?constructor, ?__proto__'],
  ['GET', '/things/one?limit=1&validate_only=true', '?limit, ?validate_only'],
  ['GET', '/things?a%0D%0Ab%3A%20c=1&x%2Cy=2&%FF=3&=4', '?a%0D%0Ab:%20c, ?x%2Cy, ?%25FF, ?'],
  ['PATCH', '/things/one?force=1&validate_only=false', 'nmae, ?force'],
  ['DELETE', '/things/one?force=1', '?force'],
])('the ignored query parameters of %s %s are named in a header: %s', async (method, url, ignored) => {
  const response = await call(method, url, method === 'PATCH' ? { nmae: 'x' } : undefined);
  expect(response.statusCode).toBe(204);
  expect(response.headers['x-tocsin-ignored']).toBe(ignored);
});

test('a misspelled field is named before read-only fields that were sent back, and the number of the others', async () => {
  const sent = { ...Object.fromEntries(READ_ONLY.map((name) => [name, 'x'])), nmae: 'x' };
  const { headers } = await call('PUT', '/things?force=1', sent);
  expect(headers['x-tocsin-ignored']).toBe(`nmae, ?force, ${READ_ONLY.slice(0, 18).join(', ')}, and 7 more`);
});

test('an error names ignored query parameters, too', async () => {
  const response = await call('GET', '/things?limit=10&sort=name');
  expect(response.statusCode).toBe(422);
  expect(response.headers['x-tocsin-ignored']).toBe('?sort');
});

test.each([
  ['limit=1&limit=2', { limit: ['was sent more than once; send it once'] }],
  [
    'state=up&state=down&limit=1&limit=1',
    { limit: ['was sent more than once; send it once'], state: ['was sent more than once; send it once'] },
  ],
  ['limit=x', { limit: ['must be an integer'] }],
])('the query %s is refused with the errors %j', async (query, errors) => {
  const response = await call('GET', `/things?${query}`);
  expect(response.statusCode).toBe(422);
  expect(response.json().error.errors).toEqual(errors);
});

test('the schemas of an endpoint are compiled when it is first requested', async () => {
  await using own = fastify();
  addValidation(own);
  const querystring = { type: 'object', properties: { name: { type: 'nonsense' } } };
  own.get('/thing', { schema: { querystring } }, async () => 'fine');
  await own.ready();
  expect((await own.inject('/thing?name=a')).statusCode).toBe(500);
});
