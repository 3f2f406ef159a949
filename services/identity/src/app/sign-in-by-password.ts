import type { Device } from '../domain/session.ts';
import { findPasswordHash, findUserWithPassword } from '../storage/password-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { hashInTurn } from './password-checks.ts';
import { verifyPassword } from './password-hash.ts';
import type { Deps } from './ports.ts';
import { type StartedSession, signIn } from './sign-in.ts';

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly session: StartedSession }
  /** The password is correct, but an organization of the user requires sign-in at its identity provider. */
  | { readonly kind: 'at_provider' }
  /** The address or the password is wrong, or the user has no password. */
  | { readonly kind: 'wrong' }
  /** There were too many password attempts for the address. Sign-in links still work. */
  | { readonly kind: 'too_many' }
  | { readonly kind: 'too_many_from_network' }
  /** Too many other passwords are being verified. */
  | { readonly kind: 'busy' };

type PasswordDeps = Pick<Deps, 'database' | 'now' | 'passwordChecks'>;

/**
 * Starts a session for a user who signs in with a password. The response and the response time are the same for a wrong
 * password, an unknown address and a user without a password. If an attempt exceeds a limit, the password is not
 * verified.
 */
export async function signInByPassword(
  deps: PasswordDeps,
  { email, password, device }: { email: string; password: string; device: Device },
): Promise<SignInOutcome> {
  if (!(await isWithinLimit(deps, 'password_from_network', device.address))) return { kind: 'too_many_from_network' };
  if (!(await isWithinLimit(deps, 'password_for_email', email))) return { kind: 'too_many' };
  const { database, now } = deps;
  const user = await database.transaction('every organization', (tx) => findUserWithPassword(tx, email));
  const verified = await hashInTurn(deps, device.address, () => verifyPassword(password, user?.passwordHash));
  if (verified === undefined) return { kind: 'busy' };
  if (!verified || !user) return { kind: 'wrong' };
  const time = now();
  const session = await database.transaction('every organization', async (tx) => {
    // The password may have been changed while it was verified.
    if ((await findPasswordHash(tx, user.id)) !== user.passwordHash) return undefined;
    return signIn(tx, { user, device, factor: 'password', now: time });
  });
  if (session === 'at_provider') return { kind: 'at_provider' };
  return session === undefined ? { kind: 'wrong' } : { kind: 'signed_in', session };
}
