import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewOrganization } from './new-organization.ts';

test('one error lists all invalid fields of an organization', () => {
  const check = () => checkNewOrganization({ name: '', ownerEmail: 'nobody' });
  expect(check).toThrow(ServiceError);
  expect(check).toThrow(
    expect.objectContaining({
      fields: { name: ['is required'], owner_email: ['must be a mail address such as jane@example.com'] },
    }),
  );
});
