import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { collectFieldErrors } from './collect-field-errors.ts';

/** A request whose name is no string. */
const refused = {
  body: { name: 5, config: {} },
  validationError: Object.assign(new Error('refused'), {
    validationContext: 'body',
    validation: [{ keyword: 'type', instancePath: '/name', params: { type: 'string' }, data: 5 }],
  }),
};

test('what the service finds stands beside what the schema found', async () => {
  const found = invalid({ 'config.url': ['is required'] });
  expect(await collectFieldErrors(refused, () => Promise.reject(found))).toMatchObject({
    kind: 'invalid',
    fields: { name: ['must be a string'], 'config.url': ['is required'] },
  });
});

test('what is not there is not found, whatever was sent for it', async () => {
  const missing = notFound('monitor');
  await expect(collectFieldErrors(refused, () => Promise.reject(missing))).rejects.toBe(missing);
});

test.each([
  ['is away', new ServiceError('unavailable', 'away')],
  ['can make nothing of the rest', new TypeError('undefined has no map')],
])('a service that %s leaves the findings of the schema', async (_, trouble) => {
  expect(await collectFieldErrors(refused, () => Promise.reject(trouble))).toMatchObject({
    fields: { name: ['must be a string'] },
  });
});
