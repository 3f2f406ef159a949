import { expect, test } from 'vitest';
import { FieldErrorCollector, ServiceError } from './index.ts';

test('nothing that is wrong throws nothing', () => {
  expect(() => new FieldErrorCollector().throwIfAny()).not.toThrow();
});

test('everything that is wrong is named at once, field by field', () => {
  const errors = new FieldErrorCollector();
  errors.add('name', 'is required');
  errors.add('config.url', 'must be an http or https URL');
  errors.add('config.url', 'must not have a password');
  const thrown = (() => {
    try {
      return errors.throwIfAny();
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(ServiceError);
  expect(thrown).toMatchObject({
    kind: 'invalid',
    message: '2 fields are not valid: name, config.url',
    fields: { name: ['is required'], 'config.url': ['must be an http or https URL', 'must not have a password'] },
  });
});
