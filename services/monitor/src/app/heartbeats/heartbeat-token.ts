import { createHash, randomBytes } from 'node:crypto';
import { type Vault, VaultError } from '@tocsin/vault';
import type { HeartbeatToken, Monitor } from '../../domain/monitors/monitor.ts';
import { findPlainTokens, saveToken } from '../../storage/heartbeats/heartbeat-token-store.ts';
import type { Deps } from '../ports.ts';

/** Number of random bytes in a heartbeat token, large enough that a token can't be guessed. */
const TOKEN_BYTES = 24;

/** Maximum number of tokens that are sealed in one transaction. */
const SEAL_LIMIT = 500;

export function createHeartbeatToken(vault: Vault, monitorId: string): HeartbeatToken {
  return sealToken(vault, monitorId, randomBytes(TOKEN_BYTES).toString('base64url'));
}

/** Returns the SHA-256 of a token, in hex. Tokens are looked up by this hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns the heartbeat token in plain text; undefined if the monitor has no token, or if the vault no longer has the
 * key that sealed the token.
 */
export function openHeartbeatToken({ vault, logger }: Pick<Deps, 'vault' | 'logger'>, monitor: Monitor) {
  if (!monitor.heartbeatToken) return undefined;
  try {
    return vault.open(monitor.heartbeatToken.sealed, heartbeatTokenContext(monitor.id));
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    logger.error({ err: error, monitor_id: monitor.id }, 'heartbeat token does not open, so it is not shown');
    return undefined;
  }
}

/**
 * Seals (encrypts with the vault) heartbeat tokens that an older version stored in plain text. Several replicas may run
 * this concurrently.
 */
export async function sealPlainTokens({ database, vault }: Pick<Deps, 'database' | 'vault'>): Promise<void> {
  for (let found = SEAL_LIMIT; found === SEAL_LIMIT; ) {
    found = await database.transaction('every organization', async (tx) => {
      const plain = await findPlainTokens(tx, SEAL_LIMIT);
      for (const { monitorId, token } of plain) await saveToken(tx, monitorId, sealToken(vault, monitorId, token));
      return plain.length;
    });
  }
}

function sealToken(vault: Vault, monitorId: string, token: string): HeartbeatToken {
  return { hash: hashToken(token), sealed: vault.seal(token, heartbeatTokenContext(monitorId)) };
}

export function heartbeatTokenContext(monitorId: string): string {
  return `monitor/${monitorId}/heartbeat-token`;
}
