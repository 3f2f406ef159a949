import { isEmail } from '@tocsin/text';
import { v7 } from 'uuid';
import { CONFIRM_MS, type EmailChange, UNDO_MS } from '../domain/email-change.ts';
import type { Device, SignedIn } from '../domain/session.ts';
import { saveUserDeletion } from '../storage/deletion-store.ts';
import {
  deleteEmailChangesSince,
  lockUnconfirmedChange,
  lockUndoableChange,
  recordConfirmation,
  saveEmail,
  saveEmailChange,
} from '../storage/email-change-store.ts';
import { findEnforcedMember } from '../storage/organization-sign-in-store.ts';
import { deletePasskeys } from '../storage/passkey-store.ts';
import { deletePassword } from '../storage/password-store.ts';
import { deleteTotpSince, replaceRecoveryCodes } from '../storage/second-factor-store.ts';
import { deleteSessions } from '../storage/session-store.ts';
import { deleteSurplusLinks } from '../storage/sign-in-link-store.ts';
import { findUser, findUserByEmail } from '../storage/user-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { endGrantsOfUser } from './oauth/grants.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';

type ChangeDeps = Pick<Deps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background' | 'passwordChecks'>;

/**
 * Sends a link to a user's new mail address. The address takes effect when the user confirms it with the link. If
 * another user has the address, no email is sent, and the response is the same.
 * @returns The problem with the input; undefined if the request was accepted.
 */
export async function requestEmailChange(
  deps: ChangeDeps,
  signedIn: SignedIn,
  { current, email }: { current: string; email: string },
): Promise<string | undefined> {
  const { user, session } = signedIn;
  if (!isEmail(email)) return 'Enter a mail address, such as jane@example.com.';
  if (email.toLowerCase() === user.email.toLowerCase()) return 'This is the address of your account already.';
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  if (await deps.database.transaction('every organization', (tx) => findEnforcedMember(tx, user))) {
    return 'Your organization lets you sign in only with its own sign-in, which needs the present address.';
  }
  if (!(await isWithinLimit(deps, 'email_change_of_user', user.id))) {
    return 'You have entered too many new addresses today. Try again tomorrow.';
  }
  const { database, now, mails, background, baseUrl } = deps;
  const secret = createSecret();
  const createdAt = now();
  await database.transaction('every organization', async (tx) => {
    await saveEmailChange(tx, {
      id: v7(),
      userId: user.id,
      oldEmail: user.email,
      newEmail: email,
      confirmHash: hashSecret(secret),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + CONFIRM_MS),
    });
    const entry = { action: 'user.email_change_requested', details: { to: email }, occurredAt: createdAt };
    await insertUserAudit(tx, user, { ...entry, credentialId: session.id, device: session.device });
  });
  background.run(user.id, 'sending the confirmation of a mail address', async () => {
    const other = await database.transaction('every organization', (tx) => findUserByEmail(tx, email));
    if (!other)
      await mails.emailConfirmation(email, { url: `${baseUrl}/account/email/${secret}`, account: user.email });
  });
  return undefined;
}

/** Returns the change that a link confirms; undefined if the link is unknown or expired, or belongs to another user. */
export async function readEmailChange(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { secret, userId }: { secret: string; userId: string },
): Promise<EmailChange | undefined> {
  if (!isSecret(secret)) return undefined;
  const find = { hash: hashSecret(secret), time: now() };
  const change = await database.transaction('every organization', (tx) =>
    lockUnconfirmedChange(tx, find.hash, find.time),
  );
  return change?.userId === userId ? change : undefined;
}

/**
 * Changes the mail address of the signed-in user, who opened the link in the email to the new address. Ends the user's
 * other sessions and open sign-in links, which were sent to the earlier address. The earlier address gets a link that
 * undoes the change. The user must be signed in: otherwise an attacker could request the change for the attacker's own
 * account, and the owner of the new address would confirm it by opening the link.
 */
export async function confirmEmailChange(
  deps: Pick<ChangeDeps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background'>,
  signedIn: SignedIn,
  secret: string,
): Promise<'changed' | 'taken' | 'gone'> {
  if (!isSecret(secret)) return 'gone';
  const { database, now, mails, background, baseUrl } = deps;
  const { user, session } = signedIn;
  const confirmedAt = now();
  const undoSecret = createSecret();
  const outcome = await database.transaction('every organization', async (tx) => {
    const change = await lockUnconfirmedChange(tx, hashSecret(secret), confirmedAt);
    if (change?.userId !== user.id) return 'gone';
    const { newEmail } = change;
    if (!(await saveEmail(tx, { userId: user.id, from: user.email, to: newEmail }))) return 'taken';
    const expiresAt = new Date(confirmedAt.getTime() + UNDO_MS);
    await recordConfirmation(tx, { id: change.id, undoHash: hashSecret(undoSecret), confirmedAt, expiresAt });
    await deleteSessions(tx, user.id, session.id);
    await deleteSurplusLinks(tx, user.id, 0);
    const entry = { action: 'user.email_changed', details: { from: user.email, to: newEmail } };
    await insertUserAudit(tx, user, {
      ...entry,
      occurredAt: confirmedAt,
      credentialId: session.id,
      device: session.device,
    });
    return { newEmail };
  });
  if (typeof outcome === 'string') return outcome;
  const change = { undoUrl: `${baseUrl}/account/email/undo/${undoSecret}`, newAddress: outcome.newEmail };
  background.run(user.id, 'reporting a changed mail address', () => mails.emailChanged(user.email, change));
  return 'changed';
}

/** Returns the change that a link undoes; undefined if the link is unknown, used or expired. */
export async function readUndoableChange(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  secret: string,
): Promise<EmailChange | undefined> {
  if (!isSecret(secret)) return undefined;
  return database.transaction('every organization', (tx) => lockUndoableChange(tx, hashSecret(secret), now()));
}

/**
 * Undoes a change of the mail address. Another person may have had access to the account, so this also removes all
 * sessions, sign-in links, OAuth grants, passkeys and recovery codes, the password, later address changes, and a second
 * factor that was set after the change was requested. Cancels a deletion of the account.
 */
export async function undoEmailChange(
  { database, now, mails, background }: Pick<ChangeDeps, 'database' | 'now' | 'mails' | 'background'>,
  { secret, device }: { secret: string; device: Device },
): Promise<'undone' | 'taken' | 'gone'> {
  if (!isSecret(secret)) return 'gone';
  const time = now();
  const outcome = await database.transaction('every organization', async (tx) => {
    const change = await lockUndoableChange(tx, hashSecret(secret), time);
    const user = change && (await findUser(tx, change.userId));
    if (!change || !user) return 'gone';
    const { userId, oldEmail, createdAt } = change;
    if (!(await saveEmail(tx, { userId, from: user.email, to: oldEmail }))) return 'taken';
    await deleteEmailChangesSince(tx, userId, createdAt);
    await deleteSessions(tx, userId);
    await deleteSurplusLinks(tx, userId, 0);
    await deletePassword(tx, userId);
    await deletePasskeys(tx, userId);
    await replaceRecoveryCodes(tx, userId, []);
    await deleteTotpSince(tx, userId, createdAt);
    await saveUserDeletion(tx, userId, undefined);
    const by = { actor: oldEmail, address: device.address };
    await endGrantsOfUser(tx, userId, { by, reason: 'email_restored', now: time });
    const entry = { action: 'user.email_change_undone', details: { from: user.email, to: oldEmail } };
    await insertUserAudit(tx, { id: userId, email: oldEmail }, { ...entry, occurredAt: time, device });
    return { id: userId, email: oldEmail, changedEmail: user.email };
  });
  if (typeof outcome === 'string') return outcome;
  const change = `The change of the mail address was undone. The address of the account is ${outcome.email} again.`;
  background.run(outcome.id, 'reporting a restored mail address', async () => {
    await mails.credentialChange(outcome.email, change);
  });
  return 'undone';
}
