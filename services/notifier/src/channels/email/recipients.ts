import type { FieldErrorCollector } from '@tocsin/errors';
import { isEmail } from '@tocsin/text';

const FIELD = 'config.recipients';
const MAX_RECIPIENTS = 50;

/** Adds an error for each invalid address of a channel. */
export function checkRecipients(value: unknown, errors: FieldErrorCollector): void {
  if (value === undefined || value === null) errors.add(FIELD, 'is required');
  else if (!Array.isArray(value)) errors.add(FIELD, 'must be an array of mail addresses');
  else {
    if (value.length < 1) errors.add(FIELD, 'must have at least 1 item');
    if (value.length > MAX_RECIPIENTS) errors.add(FIELD, `must have at most ${MAX_RECIPIENTS} items`);
    const addresses: unknown[] = value.slice(0, MAX_RECIPIENTS);
    for (const [index, address] of addresses.entries()) {
      const isAddress = typeof address === 'string' && isEmail(address);
      if (!isAddress) errors.add(`${FIELD}.${index}`, 'must be a mail address such as jane@example.com');
    }
  }
}

/** Returns the addresses in a validated configuration, without duplicates. */
export function readRecipients(value: unknown): string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))] : [];
}
