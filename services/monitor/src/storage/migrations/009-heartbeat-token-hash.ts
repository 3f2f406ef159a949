import { sqlMigration } from '@tocsin/database';

export const heartbeatTokenHash = sqlMigration(
  '009-heartbeat-token-hash',
  `
  -- A token is found by its SHA-256 (hex) and shown from a sealed copy. heartbeat_token holds what is not sealed yet.
  alter table monitor add column heartbeat_token_hash text, add column heartbeat_token_sealed text;
  create unique index monitor_by_heartbeat_token_hash on monitor (heartbeat_token_hash);
  `,
);
