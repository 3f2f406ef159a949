import type { Transaction } from '@tocsin/database';
import type { Device, FirstFactor, User } from '../domain/session.ts';
import { deleteSession, findAwaitingUser } from '../storage/session-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { countDown } from './limit-attempts.ts';
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
  { user, device, factor, now }: { user: User; device: Device; factor: FirstFactor; now: Date },
): Promise<StartedSession> {
  const awaitsCode = await needsCode(tx, user.id);
  if (!awaitsCode) await insertSignInAudit(tx, user, { device, factor, now });
  return {
    secret: await startSession(tx, { userId: user.id, device, now, awaitsCodeAfter: awaitsCode ? factor : undefined }),
    awaitsCode,
  };
}

export type CodeOutcome =
  | { readonly kind: 'signed_in'; readonly secret: string }
  | { readonly kind: 'wrong' | 'too_many' | 'expired' };

/**
 * Completes a sign-in with a code of the second factor. Replaces the session, so that its earlier secret does not give
 * access. If the last code within the limit is wrong, the user gets an email and the audit log an entry.
 */
export async function signInWithCode(
  deps: Pick<Deps, 'database' | 'now' | 'vault' | 'mails' | 'background'>,
  { secret, code, device }: { secret: string; code: string; device: Device },
): Promise<CodeOutcome> {
  if (!isSecret(secret)) return { kind: 'expired' };
  const { database, now } = deps;
  const time = now();
  const find = (tx: Transaction) => findAwaitingUser(tx, hashSecret(secret), time);
  const awaiting = await database.transaction('every organization', find);
  if (!awaiting) return { kind: 'expired' };
  const { user, firstFactor } = awaiting;
  const left = await countDown(deps, 'code_of_user', `${user.id} ${firstFactor}`);
  if (left < 0) return { kind: 'too_many' };
  const outcome = await database.transaction('every organization', async (tx): Promise<CodeOutcome> => {
    const current = await find(tx);
    if (!current) return { kind: 'expired' };
    const { sessionId } = current;
    const accepted = await acceptCode(deps, tx, user.id, code);
    if (!accepted) {
      const entry = { action: 'user.code_limit_reached', details: { with: firstFactor }, device, occurredAt: time };
      if (left === 0) await insertUserAudit(tx, user, entry);
      return { kind: 'wrong' };
    }
    await deleteSession(tx, user.id, sessionId);
    await insertSignInAudit(tx, user, { device, factor: accepted, now: time });
    return { kind: 'signed_in', secret: await startSession(tx, { userId: user.id, device, now: time }) };
  });
  if (outcome.kind === 'wrong' && left === 0) {
    const change = LIMIT_REACHED[firstFactor];
    deps.background.run(user.id, 'reporting wrong codes', () => deps.mails.credentialChange(user.email, change));
  }
  return outcome;
}

const LIMIT_REACHED: Readonly<Record<FirstFactor, string>> = {
  link: 'Signing in with a link is blocked for up to 15 minutes, because too many wrong codes were entered.',
  provider:
    'Signing in with your organization is blocked for up to 15 minutes, because too many wrong codes were entered after it.',
  password:
    'Signing in with the password is blocked for up to 15 minutes, because too many wrong codes were entered after it.',
};

/** Records a complete sign-in in the audit logs of the user's organizations. */
export async function insertSignInAudit(
  tx: Transaction,
  user: User,
  { device, factor, now }: { device: Device; factor: string; now: Date },
): Promise<void> {
  await insertUserAudit(tx, user, { action: 'user.signed_in', details: { with: factor }, device, occurredAt: now });
}
