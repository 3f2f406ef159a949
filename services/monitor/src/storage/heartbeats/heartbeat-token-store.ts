import type { Transaction } from '@tocsin/database';
import type { HeartbeatToken } from '../../domain/monitors/monitor.ts';

/**
 * Returns tokens that are stored in plain text, and locks them. Tokens that another replica has locked are left out.
 */
export async function findPlainTokens(tx: Transaction, limit: number): Promise<{ monitorId: string; token: string }[]> {
  return tx.query(
    `select id as "monitorId", heartbeat_token as token from monitor where heartbeat_token is not null
     order by id limit $1 for no key update skip locked`,
    [limit],
  );
}

/** Replaces a token that is stored in plain text with its hash and the sealed token. */
export async function saveToken(tx: Transaction, monitorId: string, { hash, sealed }: HeartbeatToken): Promise<void> {
  await tx.query(
    `update monitor set heartbeat_token = null, heartbeat_token_hash = $2, heartbeat_token_sealed = $3 where id = $1`,
    [monitorId, hash, sealed],
  );
}
