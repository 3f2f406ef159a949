import {
  type Artifact,
  findByUserCode,
  lockByUserCode,
  recordPoll,
  saveDecision,
} from '../../storage/oauth-artifact-store.ts';
import { hashSecret } from '../secret.ts';
import { type Approval, createGrant, type GrantDeps, type ReportingDeps, reportAccess } from './grants.ts';

/** A device that is waiting for its user's decision. */
export interface WaitingDevice {
  readonly clientId: string;
  /** Requested scope, as the client sent it. */
  readonly scope: string | undefined;
}

export type DeviceLookup = WaitingDevice | 'unknown' | 'expired' | 'decided';

/** Converts a typed user code to its canonical form, which is in capital letters and has no separators. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z]/g, '');
}

/** Formats a user code as devices show it. */
export function formatUserCode(normalized: string): string {
  return `${normalized.slice(0, 4)}-${normalized.slice(4)}`;
}

/** Returns the device that shows a user code. */
export async function findDevice({ database, now }: GrantDeps, userCode: string): Promise<DeviceLookup> {
  const found = await database.transaction('every organization', (tx) => findByUserCode(tx, hashSecret(userCode)));
  return lookup(found, now());
}

/**
 * Records the user's decision on the device that shows a user code. If access is granted, notifies the user by email.
 * Returns whether the device was still waiting. A decision is final.
 */
export async function decideDevice(
  deps: ReportingDeps,
  { userCode, approval }: { userCode: string; approval: Approval | undefined },
): Promise<boolean> {
  const { database, now } = deps;
  const isDecided = await database.transaction('every organization', async (tx) => {
    const found = await lockByUserCode(tx, hashSecret(userCode));
    const time = now();
    if (!found || typeof lookup(found, time) === 'string') return false;
    const grant = approval && (await createGrant(tx, approval, time));
    const decision = grant
      ? { accountId: grant.userId, scope: grant.scopes.join(' ') }
      : { error: 'access_denied', errorDescription: 'the user denied access' };
    const payload = { ...found.payload, ...decision };
    await saveDecision(tx, { idHash: found.idHash, payload, grantId: grant?.id });
    return true;
  });
  if (isDecided && approval) reportAccess(deps, approval);
  return isDecided;
}

/**
 * Records a request for the tokens of a device that is still waiting. Returns whether the request came too early (RFC
 * 8628 §3.5).
 */
export async function isPolledTooEarly({ database, now }: GrantDeps, deviceCode: string): Promise<boolean> {
  return !(await database.transaction('every organization', (tx) => recordPoll(tx, hashSecret(deviceCode), now())));
}

function lookup(found: Artifact | undefined, now: Date): DeviceLookup {
  if (!found) return 'unknown';
  const { accountId, error, clientId, params } = found.payload;
  if (accountId !== undefined || error !== undefined || found.consumedAt) return 'decided';
  if (found.expiresAt <= now) return 'expired';
  const { scope } = (params ?? {}) as { scope?: string };
  return { clientId: String(clientId), scope };
}
