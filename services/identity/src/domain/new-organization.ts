import { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';

export interface NewOrganization {
  readonly name: string;
  readonly ownerEmail: string;
}

/** RFC 5321 §4.5.3.1. */
const MAX_EMAIL = 254;
const MAX_LOCAL_PART = 64;

/** @throws ServiceError `invalid` that names every wrong field. */
export function checkNewOrganization({ name, ownerEmail }: NewOrganization): void {
  const errors = new FieldErrorCollector();
  errors.add('name', problemOfLine(name, 255));
  if (ownerEmail === '') errors.add('owner_email', 'is required');
  else if (!isEmail(ownerEmail)) errors.add('owner_email', 'must be a mail address such as jane@example.com');
  errors.throwIfAny();
}

/** A mail address as HTML's `<input type="email">` knows it; one at a bare host such as `owner@localhost` counts. */
export function isEmail(text: string): boolean {
  const shape =
    /^([\w.!#$%&'*+/=?^`{|}~-]+)@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
  const localPart = shape.exec(text)?.[1];
  return localPart !== undefined && localPart.length <= MAX_LOCAL_PART && text.length <= MAX_EMAIL;
}
