import type { Membership } from '../domain/membership.ts';
import type { Passkey } from '../domain/passkey.ts';
import { isFresh, type Session, type SignedIn } from '../domain/session.ts';
import { findUserDeletion } from '../storage/deletion-store.ts';
import { listMemberships } from '../storage/membership-store.ts';
import { listPasskeys } from '../storage/passkey-store.ts';
import { findPasswordHash } from '../storage/password-store.ts';
import { countRecoveryCodes } from '../storage/second-factor-store.ts';
import { listSessions } from '../storage/session-store.ts';
import type { Deps } from './ports.ts';

/** Account of a user. */
export interface Account {
  readonly memberships: readonly Membership[];
  readonly sessions: readonly Session[];
  readonly passkeys: readonly Passkey[];
  readonly hasPassword: boolean;
  /** Number of unused recovery codes; undefined if the second factor is not enabled. */
  readonly recoveryCodes: number | undefined;
  /**
   * Proof that is required for a change of credentials. `sign_in_again` means that the user has no password and must
   * sign in again.
   */
  readonly proof: Proof;
  /** Time at which the user is deleted; undefined if no deletion was requested. */
  readonly deleteAt: Date | undefined;
}

export type Proof = 'none' | 'current_password' | 'sign_in_again';

export async function readAccount(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { user, session }: SignedIn,
): Promise<Account> {
  const time = now();
  return database.transaction('every organization', async (tx) => {
    const hasPassword = (await findPasswordHash(tx, user.id)) !== undefined;
    return {
      memberships: await listMemberships(tx, user.id),
      sessions: await listSessions(tx, user.id, time),
      passkeys: await listPasskeys(tx, user.id),
      hasPassword,
      recoveryCodes: await countRecoveryCodes(tx, user.id),
      deleteAt: await findUserDeletion(tx, user.id),
      proof: isFresh(session, time) ? 'none' : hasPassword ? 'current_password' : 'sign_in_again',
    };
  });
}
