import type { Transaction } from '@tocsin/database';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import type { ProviderChange } from '../domain/organization-sign-in.ts';
import {
  AWAITING_MS,
  type Device,
  type FirstFactor,
  isUseWorthRecording,
  MAX_AWAITING,
  MAX_SESSIONS,
  SESSION_MS,
  type SignedIn,
} from '../domain/session.ts';
import {
  deleteSession,
  deleteSessionOf,
  deleteSessions,
  deleteSurplusSessions,
  findSignedIn,
  insertSession,
  recordSessionUse,
} from '../storage/session-store.ts';
import type { Deps } from './ports.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';

/** Maximum length of a stored browser name. */
const MAX_USER_AGENT = 500;

interface SessionStart {
  readonly userId: string;
  readonly device: Device;
  readonly now: Date;
  /** First factor of a sign-in that awaits a code; undefined for a complete sign-in. */
  readonly awaitsCodeAfter?: FirstFactor | undefined;
  /** Sign-in at a provider; undefined for other sign-ins. */
  readonly provider?: ProviderSession | undefined;
  /** Whether only a recovery code completes the sign-in. */
  readonly recoveryOnly?: boolean;
}

/** Data that a session stores about the sign-in at an organization's provider. */
export interface ProviderSession {
  readonly organizationId: string;
  /** Time at which the provider verified the user's identity; undefined if the provider does not state it. */
  readonly provedAt: Date | undefined;
  /** Change that takes effect when the second-factor code is entered. */
  readonly change?: ProviderChange | undefined;
}

/**
 * Starts a session and returns its secret. The secret itself is stored only in the browser's cookie. A session that
 * still awaits a second-factor code gives no access.
 */
export async function startSession(
  tx: Transaction,
  { userId, device, now, awaitsCodeAfter, provider, recoveryOnly = false }: SessionStart,
): Promise<string> {
  const secret = createSecret();
  const awaitsCode = awaitsCodeAfter !== undefined;
  const firstFactor = awaitsCodeAfter;
  await insertSession(tx, {
    id: v7(),
    userId,
    secretHash: hashSecret(secret),
    device: shortened(device),
    createdAt: now,
    provedAt: provider ? provider.provedAt : now,
    providerOrganizationId: provider?.organizationId,
    providerChange: awaitsCode ? provider?.change : undefined,
    recoveryOnly,
    lastUsedAt: now,
    expiresAt: awaitsCode ? new Date(now.getTime() + AWAITING_MS) : endAfter(now),
    awaitsCode,
    firstFactor,
  });
  await deleteSurplusSessions(tx, { userId, awaitsCode, firstFactor, kept: awaitsCode ? MAX_AWAITING : MAX_SESSIONS });
  return secret;
}

/**
 * Returns the user and the session that a cookie's secret belongs to; undefined if the session ended or does not exist.
 */
export async function readSession(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { secret, device }: { secret: string; device: Device },
): Promise<SignedIn | undefined> {
  if (!isSecret(secret)) return undefined;
  const time = now();
  return database.transaction('every organization', async (tx) => {
    const signedIn = await findSignedIn(tx, hashSecret(secret), time);
    if (signedIn && isUseWorthRecording(signedIn.session, time)) {
      const { id } = signedIn.session;
      await recordSessionUse(tx, { id, lastUsedAt: time, expiresAt: endAfter(time), device: shortened(device) });
    }
    return signedIn;
  });
}

/** Ends the session that a cookie's secret belongs to. */
export async function endSessionOf({ database }: Pick<Deps, 'database'>, secret: string): Promise<void> {
  if (!isSecret(secret)) return;
  await database.transaction('every organization', (tx) => deleteSessionOf(tx, hashSecret(secret)));
}

/** Ends all sessions of a user, or all except one. */
export async function endSessions(
  { database }: Pick<Deps, 'database'>,
  userId: string,
  keptId?: string,
): Promise<void> {
  await database.transaction('every organization', (tx) => deleteSessions(tx, userId, keptId));
}

/** Ends a session of a user. Returns whether the user had this session. */
export async function endSession({ database }: Pick<Deps, 'database'>, userId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  return database.transaction('every organization', (tx) => deleteSession(tx, userId, id));
}

function endAfter(time: Date): Date {
  return new Date(time.getTime() + SESSION_MS);
}

function shortened({ address, userAgent }: Device): Device {
  return { address, userAgent: userAgent.slice(0, MAX_USER_AGENT) };
}
