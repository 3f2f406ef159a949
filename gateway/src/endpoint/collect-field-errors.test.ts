import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { collectFieldErrors } from './collect-field-errors.ts';

/** A request whose name is not a string. */
const refused = {
  body: { name: 5, config: {} },
  validationError: Object.assign(new Error('refused'), {
    validationContext: 'body',
    validation: [{ keyword: 'type', instancePath: '/name', params: { type: 'string' }, data: 5 }],
  }),
};

test('errors found by the service are added to the schema violations', async () => {
  const found = invalid({ 'config.url': ['is required'] });
  expect(await collectFieldErrors(refused, () => Promise.reject(found))).toMatchObject({
    kind: 'invalid',
    fields: { name: ['must be a string'], 'config.url': ['is required'] },
  });
});

test('a missing resource is reported as not found even if the body is invalid', async () => {
  const missing = notFound('monitor');
  await expect(collectFieldErrors(refused, () => Promise.reject(missing))).rejects.toBe(missing);
});

test.each([
  ['is unavailable', new ServiceError('unavailable', 'down')],
  ['fails to validate the remaining body', new TypeError('undefined has no map')],
])('when the service %s, only the schema errors are returned', async (_, failure) => {
  expect(await collectFieldErrors(refused, () => Promise.reject(failure))).toMatchObject({
    fields: { name: ['must be a string'] },
  });
});

test.each(['maxItems', 'maxProperties', 'unicode'])(
  'a field that violates %s is not sent to the service',
  async (keyword) => {
    const validationError = Object.assign(new Error('refused'), {
      validationContext: 'body',
      validation: [{ keyword, instancePath: '/ids', params: { limit: 1 }, parentSchema: { maxItems: 1 } }],
    });
    const sent: unknown[] = [];
    await collectFieldErrors({ body: { ids: [1, 2], name: 'Shop' }, validationError }, async (body) => sent.push(body));
    expect(sent).toEqual([{ name: 'Shop' }]);
  },
);

test('a body with too many list items in total is not sent to the service', async () => {
  const validationError = Object.assign(new Error('refused'), {
    validationContext: 'body',
    validation: [{ keyword: 'itemsInAll', instancePath: '', params: { limit: 10_000 } }],
  });
  const error = await collectFieldErrors({ body: {}, validationError }, () => Promise.reject(new Error('was called')));
  expect(error).toMatchObject({ fields: { body: ['must have at most 10000 list items in all'] } });
});
