import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewOrganization } from './new-organization.ts';

test('everything wrong with an organization is named at once', () => {
  const check = () => checkNewOrganization({ name: '', ownerEmail: 'nobody' });
  expect(check).toThrow(ServiceError);
  expect(check).toThrow(
    expect.objectContaining({
      fields: { name: ['is required'], owner_email: ['must be a mail address such as jane@example.com'] },
    }),
  );
});
