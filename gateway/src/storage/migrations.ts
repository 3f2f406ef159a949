import { sqlMigration } from '@tocsin/database';

/** Migrations of the tables that the gateway's replicas share. */
export const migrations = [
  sqlMigration(
    '001-windows-and-keys',
    `
    -- Numbers of calls of each credential in the current minute. A crash may lose them, which only allows a few more
    -- calls.
    create unlogged table rate_window (
      credential_id uuid not null,
      bucket text not null,
      starts_at timestamptz not null,
      requests integer not null,
      primary key (credential_id, bucket, starts_at)
    );
    create index rate_window_by_age on rate_window (starts_at);

    -- Responses to POSTs that carried an Idempotency-Key. The status is null while the request is still running.
    create table idempotent_answer (
      credential_id uuid not null,
      key text not null,
      request_hash bytea not null,
      began_at timestamptz not null,
      status smallint,
      sealed_body text,
      primary key (credential_id, key)
    );
    create index idempotent_answer_by_age on idempotent_answer (began_at);
    `,
  ),
  sqlMigration(
    '002-idempotency-ids',
    `
    -- Id under which the services carry out the request and its repeats, and time until which the request counts as
    -- running. Both are null in rows of an earlier version of the gateway.
    alter table idempotent_answer add column idempotency_id uuid;
    alter table idempotent_answer add column claimed_until timestamptz;
    `,
  ),
];
