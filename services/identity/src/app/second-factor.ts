import { createHash, randomBytes } from 'node:crypto';
import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import type { SignedIn, User } from '../domain/session.ts';
import {
  countRecoveryCodes,
  deleteTotp,
  enableTotp,
  lockTotp,
  replaceRecoveryCodes,
  type StoredTotp,
  saveLastStep,
  saveNewTotp,
  takeRecoveryCode,
} from '../storage/second-factor-store.ts';
import { findUserByEmail } from '../storage/user-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';
import { createTotpSecret, otpauthUri, stepOfCode, toBase32 } from './totp.ts';

/** Time limit for setting up a second factor. */
const SET_UP_MS = 15 * 60_000;

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;

const WRONG_CODE = 'The code is wrong or was used already. Enter the current one.';
const TOO_MANY_CODES = 'There were too many wrong codes. Try again in 15 minutes.';

type FactorDeps = Pick<Deps, 'database' | 'now' | 'vault' | 'baseUrl' | 'mails' | 'background' | 'passwordChecks'>;

/** Returns the vault context of a user's sealed secret. */
export function totpContext(userId: string): string {
  return `totp/${userId}`;
}

/**
 * Creates a secret for an authenticator app. The secret takes effect when the user has entered a code from the app.
 * @returns The problem; undefined if the secret was created.
 */
export async function startSecondFactor(
  deps: FactorDeps,
  signedIn: SignedIn,
  current: string,
): Promise<string | undefined> {
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const { id: userId } = signedIn.user;
  const sealedSecret = deps.vault.seal(createTotpSecret().toString('base64'), totpContext(userId));
  const createdAt = deps.now();
  await deps.database.transaction('every organization', (tx) => saveNewTotp(tx, { userId, sealedSecret, createdAt }));
  return undefined;
}

/** Data with which a user sets up an authenticator app. */
export interface NewFactor {
  readonly uri: string;
  readonly key: string;
}

/** Returns the secret of the second factor that a user is setting up; undefined if the user is not setting one up. */
export async function readNewFactor(
  { database, vault, baseUrl, now }: FactorDeps,
  { id, email }: User,
): Promise<NewFactor | undefined> {
  const stored = await database.transaction('every organization', (tx) => lockTotp(tx, id));
  if (!isBeingSetUp(stored, now())) return undefined;
  const secret = Buffer.from(vault.open(stored.sealedSecret, totpContext(id)), 'base64');
  return { uri: otpauthUri(secret, { email, host: new URL(baseUrl).host }), key: toBase32(secret) };
}

/** Whether a user is setting up a second factor. After the time limit, the user has to start again. */
function isBeingSetUp(stored: StoredTotp | undefined, now: Date): stored is StoredTotp {
  return stored !== undefined && !stored.isEnabled && now.getTime() - stored.createdAt.getTime() < SET_UP_MS;
}

/** Enables the second factor with the first code. Returns the recovery codes, or a problem. */
export async function enableSecondFactor(
  deps: FactorDeps,
  signedIn: SignedIn,
  code: string,
): Promise<{ codes: readonly string[] } | { problem: string }> {
  const { user } = signedIn;
  if (!(await isWithinLimit(deps, 'code_of_user', user.id))) return { problem: TOO_MANY_CODES };
  const now = deps.now();
  const codes = await deps.database.transaction('every organization', async (tx) => {
    const stored = await lockTotp(tx, user.id);
    if (!isBeingSetUp(stored, now) || !(await acceptAppCode(deps, tx, user.id, code))) return undefined;
    await enableTotp(tx, user.id, now);
    await audit(tx, signedIn, 'user.second_factor_enabled', now);
    return renewCodes(tx, user.id);
  });
  if (!codes) return { problem: WRONG_CODE };
  report(deps, user, 'A second factor was added: signing in now needs a code of your authenticator app.');
  return { codes };
}

/** Replaces the recovery codes of a user. Returns the new ones, or a problem. */
export async function renewRecoveryCodes(
  deps: FactorDeps,
  signedIn: SignedIn,
  current: string,
): Promise<{ codes: readonly string[] } | { problem: string }> {
  const problem = await proveUser(deps, signedIn, current);
  if (problem) return { problem };
  const { user } = signedIn;
  const codes = await deps.database.transaction('every organization', async (tx) => {
    if (!(await lockTotp(tx, user.id))?.isEnabled) return undefined;
    await audit(tx, signedIn, 'user.recovery_codes_renewed', deps.now());
    return renewCodes(tx, user.id);
  });
  if (!codes) return { problem: 'There is no second factor.' };
  report(deps, user, 'Your recovery codes were replaced. The earlier ones do not work any more.');
  return { codes };
}

/**
 * Removes the second factor of a user.
 * @returns The problem; undefined if the user no longer has a second factor.
 */
export async function removeSecondFactor(
  deps: FactorDeps,
  signedIn: SignedIn,
  current: string,
): Promise<string | undefined> {
  const problem = await proveUser(deps, signedIn, current);
  if (problem) return problem;
  const { user } = signedIn;
  const removed = await deps.database.transaction('every organization', async (tx) => {
    if (!(await deleteTotp(tx, user.id))) return false;
    await audit(tx, signedIn, 'user.second_factor_removed', deps.now());
    return true;
  });
  if (removed) report(deps, user, REMOVED);
  return undefined;
}

const REMOVED = 'The second factor was removed: signing in no longer needs a code.';

/**
 * Removes, on behalf of the operator, the second factor of a user who lost it.
 * @throws ServiceError `not_found` if there is no such user, or the user has no second factor.
 */
export async function removeLostFactor(
  deps: Pick<FactorDeps, 'database' | 'now' | 'mails' | 'background'>,
  { email, actor }: { email: string; actor: string },
): Promise<void> {
  const user = await deps.database.transaction('every organization', async (tx) => {
    const found = await findUserByEmail(tx, email);
    if (!found) throw notFound('user');
    if (!(await deleteTotp(tx, found.id))) throw notFound('second factor');
    const entry = { action: 'user.second_factor_removed', details: {}, occurredAt: deps.now(), actor };
    await insertUserAudit(tx, found, entry);
    return found;
  });
  report(deps, user, REMOVED);
}

/** Returns whether a user needs a second-factor code to sign in. */
export async function needsCode(tx: Transaction, userId: string): Promise<boolean> {
  return (await countRecoveryCodes(tx, userId)) !== undefined;
}

/**
 * Verifies a code from the authenticator app or a recovery code. Each code is accepted once. With `recoveryOnly`, only
 * recovery codes are accepted. Returns the kind of the code, or undefined for a wrong code.
 */
export async function acceptCode(
  deps: Pick<Deps, 'now' | 'vault'>,
  tx: Transaction,
  { userId, text, recoveryOnly = false }: { userId: string; text: string; recoveryOnly?: boolean },
): Promise<'code' | 'recovery_code' | undefined> {
  const compact = text.replace(/[\s-]/g, '');
  if (/^\d{6}$/.test(compact) && !recoveryOnly)
    return (await acceptAppCode(deps, tx, userId, compact)) ? 'code' : undefined;
  return (await takeRecoveryCode(tx, userId, hashCode(compact))) ? 'recovery_code' : undefined;
}

async function acceptAppCode(
  { now, vault }: Pick<Deps, 'now' | 'vault'>,
  tx: Transaction,
  userId: string,
  code: string,
): Promise<boolean> {
  const stored = await lockTotp(tx, userId);
  if (!stored) return false;
  const secret = Buffer.from(vault.open(stored.sealedSecret, totpContext(userId)), 'base64');
  const step = stepOfCode(secret, code.replace(/\s/g, ''), now(), stored.lastStep);
  if (step === undefined) return false;
  await saveLastStep(tx, userId, step);
  return true;
}

async function renewCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => toBase32(randomBytes(RECOVERY_CODE_BYTES)));
  await replaceRecoveryCodes(tx, userId, codes.map(hashCode));
  return codes.map((code) => (code.toLowerCase().match(/.{4}/g) ?? []).join('-'));
}

/** Returns the hash of a recovery code, ignoring case. Because a code has 80 random bits, no slow hash is required. */
function hashCode(code: string): Buffer {
  return createHash('sha256').update(code.toUpperCase()).digest();
}

async function audit(tx: Transaction, { user, session }: SignedIn, action: string, occurredAt: Date): Promise<void> {
  const { id: credentialId, device } = session;
  await insertUserAudit(tx, user, { action, details: {}, occurredAt, credentialId, device });
}

function report({ mails, background }: Pick<Deps, 'mails' | 'background'>, { id, email }: User, change: string): void {
  background.run(id, 'reporting a changed second factor', () => mails.credentialChange(email, change));
}
