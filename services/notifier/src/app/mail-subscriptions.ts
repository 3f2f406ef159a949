import { setRecipientStatus } from '../storage/mail-recipient-store.ts';
import type { MailLinks } from './mail-links.ts';
import type { Deps } from './ports.ts';

/** Action of a link in an email. */
export interface MailQuestion {
  readonly kind: 'confirm' | 'unsubscribe' | 'expired';
  readonly organizationName: string | undefined;
}

type MailDeps = Deps & { readonly mailLinks: MailLinks };

/**
 * Returns the action of a link in an email without performing it; undefined if this installation did not create the
 * link.
 */
export async function readMailLink(deps: MailDeps, token: string): Promise<MailQuestion | undefined> {
  const link = await deps.mailLinks.read(token);
  if (!link) return undefined;
  const isExpired = link.expiresAt !== undefined && link.expiresAt <= deps.now();
  const organizationName = await deps.organizations.nameOf(link.organizationId);
  return { kind: isExpired ? 'expired' : link.kind, organizationName };
}

/**
 * Performs the action of a link in an email: confirms, unsubscribes, or subscribes again. The action may be repeated.
 * Returns undefined if this installation did not create the link, or if the link has expired.
 */
export async function followMailLink(
  { database, mailLinks, now }: MailDeps,
  { token, takeBack }: { token: string; takeBack: boolean },
): Promise<'confirmed' | 'unsubscribed' | undefined> {
  const link = await mailLinks.read(token);
  if (!link || (link.expiresAt !== undefined && link.expiresAt <= now())) return undefined;
  const { organizationId } = link;
  const status = link.kind === 'confirm' || takeBack ? 'confirmed' : 'unsubscribed';
  const exists = await database.transaction({ organizationId }, (tx) => setRecipientStatus(tx, link, status));
  return exists ? status : undefined;
}
