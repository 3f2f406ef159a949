/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  idempotent_answer: {
    credential_id: string;
    key: string;
    request_hash: Buffer;
    began_at: Date;
    status: number | null;
    sealed_body: string | null;
  };
  rate_window: {
    credential_id: string;
    bucket: string;
    starts_at: Date;
    requests: number;
  };
}
