import type { Transaction } from '@tocsin/database';
import { decideEnforced } from '../domain/enforced-sign-in.ts';
import type { ProviderChange } from '../domain/organization-sign-in.ts';
import type { Device, FirstFactor, User } from '../domain/session.ts';
import { findMembership } from '../storage/membership-store.ts';
import { findEnforcedMember, saveSubject } from '../storage/organization-sign-in-store.ts';
import { deleteSession, findAwaitingSession } from '../storage/session-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { countDown } from './limit-attempts.ts';
import { changeMember } from './members.ts';
import type { Deps } from './ports.ts';
import { acceptCode, needsCode } from './second-factor.ts';
import { hashSecret, isSecret } from './secret.ts';
import { type ProviderSession, startSession } from './sessions.ts';

/** A session that was started, and whether it still awaits a second-factor code. */
export interface StartedSession {
  readonly secret: string;
  readonly awaitsCode: boolean;
}

/** Result of a first factor. `at_provider` means that the user has to sign in at an organization's provider. */
export type FirstFactorResult = StartedSession | 'at_provider';

/** Starts a session for a user who proved the first factor. */
export async function signIn(
  tx: Transaction,
  {
    user,
    device,
    factor,
    byOperator = false,
    now,
  }: { user: User; device: Device; factor: 'link' | 'password'; byOperator?: boolean; now: Date },
): Promise<FirstFactorResult> {
  const awaitsCode = await needsCode(tx, user.id);
  const method = byOperator ? 'operator_link' : factor;
  const decision = decideEnforced(await findEnforcedMember(tx, user), { method, hasSecondFactor: awaitsCode });
  if (decision === 'at_provider') return decision;
  const recoveryOnly = decision === 'recovery_code';
  return start(tx, { user, device, factor, awaitsCode, recoveryOnly, now });
}

/** Starts a session for a user who signed in at an organization's provider. */
export async function signInFromProvider(
  tx: Transaction,
  { user, device, provider, now }: { user: User; device: Device; provider: ProviderSession; now: Date },
): Promise<StartedSession> {
  const awaitsCode = await needsCode(tx, user.id);
  return start(tx, { user, device, factor: 'provider', awaitsCode, provider, now });
}

async function start(
  tx: Transaction,
  {
    user,
    device,
    factor,
    awaitsCode,
    provider,
    recoveryOnly = false,
    now,
  }: {
    user: User;
    device: Device;
    factor: FirstFactor;
    awaitsCode: boolean;
    provider?: ProviderSession;
    recoveryOnly?: boolean;
    now: Date;
  },
): Promise<StartedSession> {
  if (!awaitsCode) await insertSignInAudit(tx, user, { device, factor, now });
  const awaitsCodeAfter = awaitsCode ? factor : undefined;
  const secret = await startSession(tx, { userId: user.id, device, now, awaitsCodeAfter, provider, recoveryOnly });
  return { secret, awaitsCode };
}

export type CodeOutcome =
  | { readonly kind: 'signed_in'; readonly secret: string }
  | { readonly kind: 'wrong' | 'too_many' | 'expired' };

/**
 * Completes a sign-in with a second-factor code. Replaces the session, so that the secret of the incomplete sign-in
 * never gives access. Changes to the user that a provider reported take effect only now. If a wrong code reaches the
 * limit of attempts, sends the user an email and adds an entry to the audit log.
 */
export async function signInWithCode(
  deps: Pick<Deps, 'database' | 'now' | 'vault' | 'mails' | 'background'>,
  { secret, code, device }: { secret: string; code: string; device: Device },
): Promise<CodeOutcome> {
  if (!isSecret(secret)) return { kind: 'expired' };
  const { database, now } = deps;
  const time = now();
  const find = (tx: Transaction) => findAwaitingSession(tx, hashSecret(secret), time);
  const awaiting = await database.transaction('every organization', find);
  if (!awaiting) return { kind: 'expired' };
  const { user, firstFactor } = awaiting;
  const left = await countDown(deps, 'code_of_user', `${user.id} ${firstFactor}`);
  if (left < 0) return { kind: 'too_many' };
  const outcome = await database.transaction('every organization', async (tx): Promise<CodeOutcome> => {
    const current = await find(tx);
    if (!current) return { kind: 'expired' };
    const { sessionId, recoveryOnly, providerChange } = current;
    const accepted = await acceptCode(deps, tx, { userId: user.id, text: code, recoveryOnly });
    if (!accepted) {
      const entry = { action: 'user.code_limit_reached', details: { with: firstFactor }, device, occurredAt: time };
      if (left === 0) await insertUserAudit(tx, user, entry);
      return { kind: 'wrong' };
    }
    await deleteSession(tx, user.id, sessionId);
    if (providerChange && !(await isMember(tx, providerChange.organizationId, user.id))) return { kind: 'expired' };
    await insertSignInAudit(tx, user, { device, factor: accepted, now: time });
    if (providerChange?.isNew) await saveSubject(tx, { ...providerChange, userId: user.id });
    // The code proves the user's identity now, even if the provider verified it long ago.
    const provider = providerChange && { organizationId: providerChange.organizationId, provedAt: time };
    return { kind: 'signed_in', secret: await startSession(tx, { userId: user.id, device, now: time, provider }) };
  });
  if (outcome.kind === 'signed_in' && awaiting.providerChange) await applyRole(deps, user.id, awaiting.providerChange);
  if (outcome.kind === 'wrong' && left === 0) {
    const change = LIMIT_REACHED[firstFactor];
    deps.background.run(user.id, 'reporting wrong codes', () => deps.mails.credentialChange(user.email, change));
  }
  return outcome;
}

async function isMember(tx: Transaction, organizationId: string, userId: string): Promise<boolean> {
  return (await findMembership(tx, organizationId, userId)) !== undefined;
}

/** Gives a member the role that a provider reported. */
export async function applyRole(
  deps: Pick<Deps, 'database' | 'now'>,
  userId: string,
  { organizationId, issuer, role }: ProviderChange,
): Promise<void> {
  if (role === undefined) return;
  const actor = { kind: 'operator', name: `provider:${issuer}` } as const;
  await changeMember(deps, { organizationId, userId, role, actor });
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
