import { FieldErrorCollector } from '@tocsin/errors';
import { isEmail, problemOfLine } from '@tocsin/text';

export interface NewOrganization {
  readonly name: string;
  readonly ownerEmail: string;
}

/**
 * Validates a new organization.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export function checkNewOrganization({ name, ownerEmail }: NewOrganization): void {
  const errors = new FieldErrorCollector();
  errors.add('name', problemOfLine(name, 255));
  if (ownerEmail === '') errors.add('owner_email', 'is required');
  else if (!isEmail(ownerEmail)) errors.add('owner_email', 'must be a mail address such as jane@example.com');
  errors.throwIfAny();
}
