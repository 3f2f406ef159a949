import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Database } from '@tocsin/database';
import type { Vault } from '@tocsin/vault';
import type { Tables } from './tables.ts';

/** Number of hours for which a key belongs to the request that was first sent with it, and its response is stored. */
export const KEPT_HOURS = 24;

/**
 * Milliseconds after which the gateway that claimed a key is assumed to have crashed. A repeat of the request can then
 * claim the key.
 */
const RUNNING_LIMIT_MS = 2 * 60_000;

export interface IdempotencyKey {
  readonly credentialId: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly requestHash: Buffer;
}

/** A key that is reserved for a request while it runs. */
export interface ClaimedKey extends IdempotencyKey {
  /** UUID under which the services carry out the request. It is the same for each repeat. */
  readonly idempotencyId: string;
}

export type Claim =
  | { readonly kind: 'mine'; readonly claimed: ClaimedKey }
  | { readonly kind: 'running' }
  | { readonly kind: 'another_request' }
  | { readonly kind: 'answered'; readonly status: number; readonly body: string };

export interface IdempotentResponses {
  /**
   * Claims a key for a request, or returns the state of the earlier request that claimed it. A repeat claims the key of
   * a request that has released it or has not ended in time.
   */
  claim(key: IdempotencyKey, now: Date): Promise<Claim>;
  /** Stores the response for repeated requests, unless another repeat has stored one. */
  keep(key: ClaimedKey, status: number, body: string): Promise<void>;
  /** Releases a key without a response, so that the request can be repeated at once, under the same id. */
  release(key: ClaimedKey, now: Date): Promise<void>;
  /** Deletes the keys that were first used before `time`, and their responses. */
  deleteBefore(time: Date): Promise<void>;
}

type Row = Pick<Tables['idempotent_answer'], 'request_hash' | 'began_at' | 'status' | 'sealed_body'>;

/** Returns the vault context that binds an encrypted response to its credential and idempotency key. */
function idempotentResponseContext(credentialId: string, key: string): string {
  return `idempotent-answer/${credentialId}/${key}`;
}

/** Column with encrypted responses. Their data keys are encrypted again when the vault gets another primary key. */
export const SEALED_RESPONSES = {
  table: 'idempotent_answer',
  column: 'sealed_body',
  keys: ['credential_id', 'key'],
  context: idempotentResponseContext,
} as const;

/**
 * Claims a key. The id is kept until the key expires, so that the services recognize a repeat even if the outcome of an
 * earlier attempt is unknown: the gateway has crashed, or the request has failed with a 5xx after a service had carried
 * it out. For the same reason, another request can't claim the key.
 */
const CLAIM = `insert into idempotent_answer as known
    (credential_id, key, request_hash, idempotency_id, began_at, claimed_until)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (credential_id, key) do update set
    request_hash = excluded.request_hash, status = null, sealed_body = null, claimed_until = excluded.claimed_until,
    began_at = case when known.began_at < $7 then excluded.began_at else known.began_at end,
    idempotency_id = case when known.began_at < $7 then excluded.idempotency_id
      else coalesce(known.idempotency_id, excluded.idempotency_id) end
  where known.began_at < $7 or (known.status is null and known.request_hash = excluded.request_hash
    and coalesce(known.claimed_until, known.began_at + make_interval(secs => ${RUNNING_LIMIT_MS / 1_000})) <= $5)
  returning idempotency_id`;

/** Condition for a claimed key, whose parameters are those of claimOf(), while no response is stored for it. */
const IS_RUNNING = 'credential_id = $1 and key = $2 and idempotency_id = $3 and status is null';

function claimOf({ credentialId, key, idempotencyId }: ClaimedKey): string[] {
  return [credentialId, key, idempotencyId];
}

/** Stores responses in the database. They are encrypted, because one may contain an API key. */
export function sharedIdempotentResponses(database: Database, vault: Vault): IdempotentResponses {
  const contextOf = ({ credentialId, key }: IdempotencyKey) => idempotentResponseContext(credentialId, key);

  function run<RowType>(sql: string, parameters: readonly unknown[]): Promise<RowType[]> {
    return database.transaction('every organization', (tx) => tx.query<RowType>(sql, parameters));
  }

  return {
    async claim(key, now) {
      const { credentialId, requestHash } = key;
      const after = (ms: number) => new Date(now.getTime() + ms);
      const [taken] = await run<{ idempotency_id: string }>(CLAIM, [
        credentialId,
        key.key,
        requestHash,
        randomUUID(),
        now,
        after(RUNNING_LIMIT_MS),
        after(-KEPT_HOURS * 3_600_000),
      ]);
      if (taken) return { kind: 'mine', claimed: { ...key, idempotencyId: taken.idempotency_id } };
      const [row] = await run<Row>('select * from idempotent_answer where credential_id = $1 and key = $2', [
        credentialId,
        key.key,
      ]);
      if (!row) return { kind: 'running' };
      if (!timingSafeEqual(row.request_hash, requestHash)) return { kind: 'another_request' };
      if (row.status === null || row.sealed_body === null) return { kind: 'running' };
      return { kind: 'answered', status: row.status, body: vault.open(row.sealed_body, contextOf(key)) };
    },
    async keep(key, status, body) {
      await run(`update idempotent_answer set status = $4, sealed_body = $5 where ${IS_RUNNING}`, [
        ...claimOf(key),
        status,
        vault.seal(body, contextOf(key)),
      ]);
    },
    async release(key, now) {
      await run(`update idempotent_answer set claimed_until = $4 where ${IS_RUNNING}`, [...claimOf(key), now]);
    },
    async deleteBefore(time) {
      await run('delete from idempotent_answer where began_at < $1', [time]);
    },
  };
}
