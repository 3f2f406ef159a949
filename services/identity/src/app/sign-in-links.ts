import { invalid, notFound } from '@tocsin/errors';
import { isEmail } from '@tocsin/text';
import { v7 } from 'uuid';
import type { Device } from '../domain/session.ts';
import { LINK_MS, MAX_LINKS } from '../domain/sign-in-link.ts';
import { deleteSurplusLinks, findLinkEmail, insertSignInLink, takeSignInLink } from '../storage/sign-in-link-store.ts';
import { findUserByEmail } from '../storage/user-store.ts';
import { insertUserAudit } from './audit-user.ts';
import type { Deps } from './ports.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';
import { type FirstFactorResult, signIn } from './sign-in.ts';

export interface SignInLink {
  /** Address of the user, as it is stored. */
  readonly email: string;
  readonly url: string;
  readonly expiresAt: Date;
}

type LinkDeps = Pick<Deps, 'database' | 'baseUrl' | 'now'>;

/**
 * Creates a link with which a user can sign in once. If `actor` is set, the link is created by the operator. An
 * operator's link works even if an organization of the user enforces sign-in with its identity provider. The creation
 * of an operator's link is recorded in the audit log.
 * @throws ServiceError `invalid` for an invalid address, `not_found` if no user has the address.
 */
export async function createSignInLink(
  { database, baseUrl, now }: LinkDeps,
  { email, actor }: { email: string; actor?: string },
): Promise<SignInLink> {
  if (!isEmail(email)) throw invalid({ email: ['must be a mail address such as jane@example.com'] });
  const secret = createSecret();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + LINK_MS);
  const user = await database.transaction('every organization', async (tx) => {
    const found = await findUserByEmail(tx, email);
    if (!found) throw notFound('user');
    const link = { id: v7(), userId: found.id, secretHash: hashSecret(secret), createdAt, expiresAt };
    await insertSignInLink(tx, { ...link, byOperator: actor !== undefined });
    await deleteSurplusLinks(tx, found.id, MAX_LINKS);
    if (actor) {
      const entry = { action: 'user.sign_in_link_created', details: {}, occurredAt: createdAt, actor };
      await insertUserAudit(tx, found, entry);
    }
    return found;
  });
  return { email: user.email, url: `${baseUrl}/sign-in/link/${secret}`, expiresAt };
}

/** Returns the email address of the user whom a link signs in, or undefined if the link is unknown, used or expired. */
export async function readSignInLink({ database, now }: LinkDeps, secret: string): Promise<string | undefined> {
  if (!isSecret(secret)) return undefined;
  return database.transaction('every organization', (tx) => findLinkEmail(tx, hashSecret(secret), now()));
}

/**
 * Starts a session with a link, which can not be used again. Returns undefined if the link is unknown, used or expired.
 */
export async function signInByLink(
  { database, now }: LinkDeps,
  { secret, device }: { secret: string; device: Device },
): Promise<FirstFactorResult | undefined> {
  if (!isSecret(secret)) return undefined;
  const time = now();
  return database.transaction('every organization', async (tx) => {
    const link = await takeSignInLink(tx, hashSecret(secret), time);
    return link && signIn(tx, { ...link, device, factor: 'link', now: time });
  });
}
