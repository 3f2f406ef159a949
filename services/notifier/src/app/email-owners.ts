import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Email } from '../domain/email.ts';
import { renderEmail } from '../domain/render-email.ts';
import { insertOwnerMail, type OwnerMail } from '../storage/owner-mail-store.ts';

/** Subject of an email to owners: the organization and the event. */
export type OwnerMailAbout = Pick<OwnerMail, 'organizationId' | 'eventId' | 'kind' | 'resourceId' | 'occurredAt'>;

/**
 * Inserts an email to an organization's owners in the transaction that applies its event. The owners and the
 * organization's name are looked up later, so events do not wait for identity.
 */
export async function emailOwners(tx: Transaction, about: OwnerMailAbout, letter: Email): Promise<void> {
  await insertOwnerMail(tx, { id: v7(), ...about, letter, ...renderEmail(letter) });
}
