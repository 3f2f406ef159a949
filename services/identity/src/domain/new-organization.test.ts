import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewOrganization, isEmail } from './new-organization.ts';

test.each(['jane@example.com', 'owner@localhost', "o'brien+tag@mail.example.co.uk", 'a@1.example'])(
  '%s is a mail address',
  (text) => expect(isEmail(text)).toBe(true),
);

test.each([
  'jane',
  'jane@',
  '@example.com',
  'jane@@example.com',
  'jane doe@example.com',
  'jane@example..com',
  'jane@-example.com',
  'jane@example.com\nbcc: all@example.com',
  'Jane <jane@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(130)}example`,
])('%j is no mail address', (text) => expect(isEmail(text)).toBe(false));

test('everything wrong with an organization is named at once', () => {
  const check = () => checkNewOrganization({ name: '', ownerEmail: 'nobody' });
  expect(check).toThrow(ServiceError);
  expect(check).toThrow(
    expect.objectContaining({
      fields: { name: ['is required'], owner_email: ['must be a mail address such as jane@example.com'] },
    }),
  );
});
