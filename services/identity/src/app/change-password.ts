import { problemOfPassword } from '../domain/new-password.ts';
import type { SignedIn } from '../domain/session.ts';
import { findPasswordHash, savePassword } from '../storage/password-store.ts';
import { deleteSessions } from '../storage/session-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import type { Deps } from './ports.ts';
import { readAccount } from './read-account.ts';
import { verifyInTurn } from './sign-in-by-password.ts';

/**
 * Sets or changes a user's password and ends the user's other sessions. Needs a fresh sign-in or the current password.
 * @returns The problem of the input; undefined if the password was changed.
 */
export async function changePassword(
  deps: Pick<Deps, 'database' | 'now' | 'mails' | 'background' | 'passwordChecks'>,
  signedIn: SignedIn,
  { current, password }: { current: string; password: string },
): Promise<string | undefined> {
  const { user, session } = signedIn;
  const problem = problemOfPassword(password, user.email);
  if (problem) return `The new password ${problem}.`;
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const hash = await hashPassword(password);
  const time = deps.now();
  await deps.database.transaction('every organization', async (tx) => {
    await savePassword(tx, user.id, hash, time);
    await deleteSessions(tx, user.id, session.id);
    const entry = { action: 'user.password_changed', details: {}, credentialId: session.id, occurredAt: time };
    await insertUserAudit(tx, user, { ...entry, device: session.device });
  });
  deps.background.run(user.id, 'reporting a changed password', () =>
    deps.mails.credentialChange(user.email, 'Your password was changed, and every other browser was signed out.'),
  );
  return undefined;
}

/**
 * Verifies that the user changes credentials, and not another person at the browser.
 * @returns The problem; undefined if the user signed in recently or the current password is right.
 */
export async function proveUser(
  deps: Pick<Deps, 'database' | 'now' | 'passwordChecks'>,
  signedIn: SignedIn,
  current: string,
): Promise<string | undefined> {
  const { proof } = await readAccount(deps, signedIn);
  if (proof === 'none') return undefined;
  if (proof === 'sign_in_again') return 'Sign out and sign in again to change this.';
  const { user, session } = signedIn;
  if (!(await isWithinLimit(deps, 'password_for_email', user.email))) {
    return 'There were too many attempts. Sign out and sign in again with a link.';
  }
  const hash = await deps.database.transaction('every organization', (tx) => findPasswordHash(tx, user.id));
  const verified = await verifyInTurn(deps, session.device.address, () => verifyPassword(current, hash));
  if (verified === undefined) return 'Too many people sign in at the moment. Try again in a minute.';
  return verified ? undefined : 'The current password is wrong.';
}
