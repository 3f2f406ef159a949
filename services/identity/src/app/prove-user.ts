import type { SignedIn } from '../domain/session.ts';
import { findPasswordHash } from '../storage/password-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { hashInTurn } from './password-checks.ts';
import { verifyPassword } from './password-hash.ts';
import type { Deps } from './ports.ts';
import { readAccount } from './read-account.ts';

/**
 * Verifies that a change of credentials is made by the user, and not by another person at the same browser.
 * @returns The problem; undefined if the user signed in recently or the current password is correct.
 */
export async function proveUser(
  deps: Pick<Deps, 'database' | 'now' | 'passwordChecks'>,
  signedIn: SignedIn,
  current: string,
): Promise<string | undefined> {
  if (!(await isWithinLimit(deps, 'credential_change_of_user', signedIn.user.id))) {
    return 'There were too many changes. Try again in an hour.';
  }
  const { proof } = await readAccount(deps, signedIn);
  if (proof === 'none') return undefined;
  if (proof === 'sign_in_again') return 'Sign out and sign in again to do this.';
  const { user, session } = signedIn;
  if (!(await isWithinLimit(deps, 'password_for_email', user.email))) {
    return 'There were too many attempts. Sign out and sign in again with a link.';
  }
  const hash = await deps.database.transaction('every organization', (tx) => findPasswordHash(tx, user.id));
  const verified = await hashInTurn(deps, session.device.address, () => verifyPassword(current, hash));
  if (verified === undefined) return 'Too many people are signing in at the moment. Try again in a minute.';
  return verified ? undefined : 'The current password is wrong.';
}
