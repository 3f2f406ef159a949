import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Email } from '../domain/email.ts';
import { renderEmail } from '../domain/render-email.ts';
import { insertOwnerMail, type OwnerMail } from '../storage/owner-mail-store.ts';

/** Organization and event of an email to owners. */
export type OwnerMailAbout = Pick<OwnerMail, 'organizationId' | 'eventId' | 'kind' | 'resourceId' | 'occurredAt'>;

/**
 * Inserts an email to an organization's owners in the transaction that applies the event. The owners and the
 * organization's name are read from identity later, so that the transaction does not wait for identity.
 */
export async function emailOwners(tx: Transaction, about: OwnerMailAbout, letter: Email): Promise<void> {
  await insertOwnerMail(tx, { id: v7(), ...about, letter, ...renderEmail(letter) });
}
