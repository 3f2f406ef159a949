import { FairSlots, SlotsFullError } from '@tocsin/runtime';
import { networkOf } from '@tocsin/text';
import type { Device } from '../domain/session.ts';
import { findPasswordHash, findUserWithPassword } from '../storage/password-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { verifyPassword } from './password-hash.ts';
import type { Deps } from './ports.ts';
import { startSession } from './sessions.ts';

/** Limits of passwords that are verified at once, because each takes 19 MiB and 50 ms of a processor. */
const SLOTS = { slots: 2, perTenant: 1, waitingPerTenant: 5, waiting: 50 };

/** Verifies passwords, a few at a time. */
export type PasswordChecks = FairSlots;

export function createPasswordChecks(): PasswordChecks {
  return new FairSlots(SLOTS);
}

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly sessionSecret: string }
  /** The address or the password is wrong, or the user has no password. */
  | { readonly kind: 'wrong' }
  /** There were too many attempts for the address. Sign-in links still work. */
  | { readonly kind: 'too_many' }
  /** The network made too many attempts, or too many passwords are verified at the moment. */
  | { readonly kind: 'busy' };

type PasswordDeps = Pick<Deps, 'database' | 'now' | 'passwordChecks'>;

/**
 * Starts a session with a password. The response and its time are the same for a wrong password, an unknown address and
 * a user without a password. Attempts over a limit are not verified.
 */
export async function signInByPassword(
  deps: PasswordDeps,
  { email, password, device }: { email: string; password: string; device: Device },
): Promise<SignInOutcome> {
  if (!(await isWithinLimit(deps, 'password_from_network', device.address))) return { kind: 'busy' };
  if (!(await isWithinLimit(deps, 'password_for_email', email))) return { kind: 'too_many' };
  const { database, now } = deps;
  const user = await database.transaction('every organization', (tx) => findUserWithPassword(tx, email));
  const verified = await verifyInTurn(deps, device.address, () => verifyPassword(password, user?.passwordHash));
  if (verified === undefined) return { kind: 'busy' };
  if (!verified || !user) return { kind: 'wrong' };
  const time = now();
  const sessionSecret = await database.transaction('every organization', async (tx) => {
    // The password may have been changed while it was verified.
    if ((await findPasswordHash(tx, user.id)) !== user.passwordHash) return undefined;
    await insertUserAudit(tx, user, {
      action: 'user.signed_in',
      details: { with: 'password' },
      device,
      occurredAt: time,
    });
    return startSession(tx, { userId: user.id, device, now: time });
  });
  return sessionSecret === undefined ? { kind: 'wrong' } : { kind: 'signed_in', sessionSecret };
}

/** Verifies a password when a slot is free; undefined if too many requests wait. */
export async function verifyInTurn(
  { passwordChecks }: Pick<PasswordDeps, 'passwordChecks'>,
  address: string,
  verify: () => Promise<boolean>,
): Promise<boolean | undefined> {
  try {
    return await passwordChecks.run(networkOf(address), verify);
  } catch (error) {
    if (error instanceof SlotsFullError) return undefined;
    throw error;
  }
}
