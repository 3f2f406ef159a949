/**
 * The tables of this service and their columns, as its migrations leave them.
 * Written by test/tables.test.ts: after a new migration run it with `--update`.
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
