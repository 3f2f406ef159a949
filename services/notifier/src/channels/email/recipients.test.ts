import { FieldErrorCollector, ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkRecipients, readRecipients } from './recipients.ts';

function fieldsOf(value: unknown): unknown {
  const errors = new FieldErrorCollector();
  checkRecipients(value, errors);
  try {
    errors.throwIfAny();
  } catch (error) {
    return error instanceof ServiceError && error.fields;
  }
  return undefined;
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `jane${index}@example.com`);

test.each([[['jane@example.com']], [many(50)], [['ops@localhost', "o'brien+x@mail.example.co.uk"]]])(
  'the recipients %j are valid',
  (value) => expect(fieldsOf(value)).toBeUndefined(),
);

test.each([
  [undefined, { 'config.recipients': ['is required'] }],
  [null, { 'config.recipients': ['is required'] }],
  ['jane@example.com', { 'config.recipients': ['must be an array of mail addresses'] }],
  [[], { 'config.recipients': ['must have at least 1 item'] }],
  [many(51), { 'config.recipients': ['must have at most 50 items'] }],
  [
    ['jane', 'a@example.com', 7, 'a@example.com\r\nBcc: b@example.com'],
    Object.fromEntries(
      [0, 2, 3].map((index) => [`config.recipients.${index}`, ['must be a mail address such as jane@example.com']]),
    ),
  ],
])('the recipients %j are refused with the errors %j', (value, fields) => expect(fieldsOf(value)).toEqual(fields));

test('a recipient that is listed twice gets one email', () => {
  expect(readRecipients(['a@example.com', 'b@example.com', 'a@example.com'])).toEqual([
    'a@example.com',
    'b@example.com',
  ]);
});
