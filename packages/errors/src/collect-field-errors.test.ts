import { expect, test } from 'vitest';
import { describeFields, FieldErrorCollector, invalid, ServiceError } from './index.ts';

test('throwIfAny() throws nothing if there are no errors', () => {
  expect(() => new FieldErrorCollector().throwIfAny()).not.toThrow();
});

test('throwIfAny() throws one error that contains all errors by field', () => {
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
    message: 'name is required; config.url must be an http or https URL, must not have a password',
    fields: { name: ['is required'], 'config.url': ['must be an http or https URL', 'must not have a password'] },
  });
});

test('the message lists the errors of five fields and counts the other fields', () => {
  const fields = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, ['is required']]));
  const five = 'a is required; b is required; c is required; d is required; e is required';
  expect(invalid(fields).message).toBe(`${five}; and 2 more`);
  expect(describeFields(fields, 93)).toBe(`${five}; and 95 more`);
  expect(describeFields({ name: ['is required'] })).toBe('name is required');
});
