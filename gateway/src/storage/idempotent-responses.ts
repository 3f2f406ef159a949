import { timingSafeEqual } from 'node:crypto';
import type { Database } from '@tocsin/database';
import type { Vault } from '@tocsin/vault';
import type { Tables } from './tables.ts';

/** Number of hours for which responses are stored. */
export const KEPT_HOURS = 24;

/**
 * Milliseconds after which the gateway that claimed a key is assumed to have crashed. Another request can then claim
 * the key.
 */
const RUNNING_LIMIT_MS = 2 * 60_000;

export interface IdempotencyKey {
  readonly credentialId: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly requestHash: Buffer;
}

export type Claim =
  | { readonly kind: 'mine' }
  | { readonly kind: 'running' }
  | { readonly kind: 'another_request' }
  | { readonly kind: 'answered'; readonly status: number; readonly body: string };

export interface IdempotentResponses {
  /** Claims a key for a request, or returns the state of the earlier request that claimed it. */
  claim(key: IdempotencyKey, now: Date): Promise<Claim>;
  /** Stores the response for repeated requests. */
  keep(key: IdempotencyKey, status: number, body: string): Promise<void>;
  /** Releases a key, so that a request that failed with 5xx or 429 can be retried. */
  release(key: IdempotencyKey): Promise<void>;
  /** Deletes the responses that are older than `time`. */
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

/** Stores responses in the database. They are encrypted, because one may contain an API key. */
export function sharedIdempotentResponses(database: Database, vault: Vault): IdempotentResponses {
  const contextOf = ({ credentialId, key }: IdempotencyKey) => idempotentResponseContext(credentialId, key);

  function run<RowType>(sql: string, parameters: readonly unknown[]): Promise<RowType[]> {
    return database.transaction('every organization', (tx) => tx.query<RowType>(sql, parameters));
  }

  return {
    async claim(key, now) {
      const { credentialId, requestHash } = key;
      const taken = await run(
        `insert into idempotent_answer (credential_id, key, request_hash, began_at) values ($1, $2, $3, $4)
         on conflict (credential_id, key) do update set request_hash = excluded.request_hash, began_at = excluded.began_at,
           status = null, sealed_body = null
         where idempotent_answer.began_at < $5 or (idempotent_answer.status is null and idempotent_answer.began_at < $6)
         returning 1`,
        [
          credentialId,
          key.key,
          requestHash,
          now,
          new Date(now.getTime() - KEPT_HOURS * 3_600_000),
          new Date(now.getTime() - RUNNING_LIMIT_MS),
        ],
      );
      if (taken.length > 0) return { kind: 'mine' };
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
      await run('update idempotent_answer set status = $3, sealed_body = $4 where credential_id = $1 and key = $2', [
        key.credentialId,
        key.key,
        status,
        vault.seal(body, contextOf(key)),
      ]);
    },
    async release({ credentialId, key }) {
      await run('delete from idempotent_answer where credential_id = $1 and key = $2', [credentialId, key]);
    },
    async deleteBefore(time) {
      await run('delete from idempotent_answer where began_at < $1', [time]);
    },
  };
}
