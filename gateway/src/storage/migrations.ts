import { sqlMigration } from '@tocsin/database';

/** Migrations of the tables that the gateway's replicas share. */
export const migrations = [
  sqlMigration(
    '001-windows-and-keys',
    `
    -- How often each credential called in the current minute. Losing it in a crash only forgives a few calls.
    create unlogged table rate_window (
      credential_id uuid not null,
      bucket text not null,
      starts_at timestamptz not null,
      requests integer not null,
      primary key (credential_id, bucket, starts_at)
    );
    create index rate_window_by_age on rate_window (starts_at);

    -- Answers to POSTs that carried an Idempotency-Key. No status: the request is still running.
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
];
