import type { Transaction } from '@tocsin/database';
import type { Device, User } from '../domain/session.ts';
import { deleteSession, findAwaitingUser } from '../storage/session-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import type { Deps } from './ports.ts';
import { acceptCode, needsCode } from './second-factor.ts';
import { hashSecret, isSecret } from './secret.ts';
import { startSession } from './sessions.ts';

/** A session that was started, and whether it gives access only after a code of the second factor. */
export interface StartedSession {
  readonly secret: string;
  readonly awaitsCode: boolean;
}

/** Starts a session for a user who proved the first factor. */
export async function signIn(
  tx: Transaction,
  { user, device, factor, now }: { user: User; device: Device; factor: 'link' | 'password'; now: Date },
): Promise<StartedSession> {
  const awaitsCode = await needsCode(tx, user.id);
  if (!awaitsCode) await insertSignInAudit(tx, user, { device, factor, now });
  return { secret: await startSession(tx, { userId: user.id, device, now, awaitsCode }), awaitsCode };
}

export type CodeOutcome =
  | { readonly kind: 'signed_in'; readonly secret: string }
  | { readonly kind: 'wrong' | 'too_many' | 'expired' };

/**
 * Completes a sign-in with a code of the second factor. Replaces the session, so that its earlier secret does not give
 * access.
 */
export async function signInWithCode(
  deps: Pick<Deps, 'database' | 'now' | 'vault'>,
  { secret, code, device }: { secret: string; code: string; device: Device },
): Promise<CodeOutcome> {
  if (!isSecret(secret)) return { kind: 'expired' };
  const { database, now } = deps;
  const time = now();
  const find = (tx: Transaction) => findAwaitingUser(tx, hashSecret(secret), time);
  const awaiting = await database.transaction('every organization', find);
  if (!awaiting) return { kind: 'expired' };
  if (!(await isWithinLimit(deps, 'code_of_user', awaiting.user.id))) return { kind: 'too_many' };
  return database.transaction('every organization', async (tx) => {
    const current = await find(tx);
    if (!current) return { kind: 'expired' };
    const { user, sessionId } = current;
    const accepted = await acceptCode(deps, tx, user.id, code);
    if (!accepted) return { kind: 'wrong' };
    await deleteSession(tx, user.id, sessionId);
    await insertSignInAudit(tx, user, { device, factor: accepted, now: time });
    return { kind: 'signed_in', secret: await startSession(tx, { userId: user.id, device, now: time }) };
  });
}

async function insertSignInAudit(
  tx: Transaction,
  user: User,
  { device, factor, now }: { device: Device; factor: string; now: Date },
): Promise<void> {
  await insertUserAudit(tx, user, { action: 'user.signed_in', details: { with: factor }, device, occurredAt: now });
}
