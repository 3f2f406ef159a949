import { dueAtOnceIf, type Transaction } from '@tocsin/database';
import type { Email, MailContent } from '../domain/email.ts';
import type { OwnerMailKind } from '../domain/owner-emails.ts';
import type { Tables } from './tables.ts';

/** An email to every owner of an organization. */
export interface OwnerMail extends MailContent {
  readonly id: string;
  readonly organizationId: string;
  /** Id of the event that caused the email. If the event is redelivered, it does not cause a second email. */
  readonly eventId: string;
  readonly kind: OwnerMailKind;
  /** Id of the monitor, channel, subscription or organization. */
  readonly resourceId: string;
  readonly occurredAt: Date;
  /** Content before rendering; undefined for emails that an older version inserted. */
  readonly letter: Email | undefined;
}

/**
 * Inserts an email without recipients, which addressOwnerMails() adds later. Does nothing if its event already has an
 * email.
 */
export async function insertOwnerMail(tx: Transaction, mail: OwnerMail): Promise<void> {
  const { id, organizationId, eventId, kind, resourceId, subject, text, html, letter, occurredAt } = mail;
  await tx.query(
    `insert into owner_mail (id, organization_id, event_id, kind, resource_id, subject, body_text, body_html, occurred_at, letter)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (organization_id, event_id) do nothing`,
    [
      id,
      organizationId,
      eventId,
      kind,
      resourceId,
      subject,
      text,
      html,
      occurredAt,
      letter ? JSON.stringify(letter) : null,
    ],
  );
}

/**
 * SQL expression for the time at which organizationsWithMail() finds an organization. With the order, PostgreSQL reads
 * the index of these emails, regardless of the planner's statistics.
 */
export const OWNER_MAIL_DUE = dueAtOnceIf(`exists (select from (
  select from owner_mail where addressed_at is null order by organization_id, position limit 1
) unaddressed)`);

/** Returns organizations that have emails without recipients. */
export async function organizationsWithMail(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['owner_mail'], 'organization_id'>>(
    'select distinct organization_id from owner_mail where addressed_at is null limit $1',
    [limit],
  );
  return rows.map(({ organization_id }) => organization_id);
}

/**
 * Marks an organization's emails without recipients as processed, and returns them in the order of their events. Each
 * email is returned to only one of several concurrent calls.
 */
export async function claimUnaddressed(
  tx: Transaction,
  organizationId: string,
  now: Date,
): Promise<Pick<OwnerMail, 'id' | 'kind' | 'resourceId' | 'letter'>[]> {
  const rows = await tx.query<
    Pick<Tables['owner_mail'], 'id' | 'resource_id'> & { kind: OwnerMailKind; letter: Email | null }
  >(
    `with waiting as (
       select id from owner_mail where organization_id = $1 and addressed_at is null order by position for update
     ), taken as (
       update owner_mail set addressed_at = $2 where id in (select id from waiting) returning id, kind, resource_id, letter, position
     )
     select id, kind, resource_id, letter from taken order by position`,
    [organizationId, now],
  );
  return rows.map(({ id, kind, resource_id: resourceId, letter }) => ({
    id,
    kind,
    resourceId,
    letter: letter ?? undefined,
  }));
}

/** Replaces the rendered content of an email. */
export async function replaceContent(
  tx: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
  { subject, text, html }: MailContent,
): Promise<void> {
  await tx.query(
    'update owner_mail set subject = $3, body_text = $4, body_html = $5 where id = $1 and organization_id = $2',
    [id, organizationId, subject, text, html],
  );
}
