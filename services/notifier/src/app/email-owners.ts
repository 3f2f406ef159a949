import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Email } from '../domain/email.ts';
import { renderEmail } from '../domain/render-email.ts';
import { insertOwnerMail, type OwnerMail } from '../storage/owner-mail-store.ts';

/** Whom and what a mail to owners is about. */
export type OwnerMailAbout = Pick<OwnerMail, 'organizationId' | 'eventId' | 'kind' | 'resourceId' | 'occurredAt'>;

/**
 * Writes a mail to an organization's owners inside the transaction in which the event behind it counts. Who they are is
 * asked later: no event waits for identity.
 */
export async function emailOwners(tx: Transaction, about: OwnerMailAbout, letter: Email): Promise<void> {
  await insertOwnerMail(tx, { id: v7(), ...about, ...renderEmail(letter) });
}
