import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkNewOrganization } from './new-organization.ts';

test('if several fields of a new organization are invalid, one error lists all of them', () => {
  const check = () => checkNewOrganization({ name: '', ownerEmail: 'nobody' });
  expect(check).toThrow(ServiceError);
  expect(check).toThrow(
    expect.objectContaining({
      fields: { name: ['is required'], owner_email: ['must be a mail address such as jane@example.com'] },
    }),
  );
});
