import { sqlMigration } from '@tocsin/database';

export const heartbeatTokenHash = sqlMigration(
  '009-heartbeat-token-hash',
  `
  -- A token is looked up by its SHA-256 (hex) and shown from a sealed copy. heartbeat_token contains tokens that are
  -- not sealed yet.
  alter table monitor add column heartbeat_token_hash text, add column heartbeat_token_sealed text;
  create unique index monitor_by_heartbeat_token_hash on monitor (heartbeat_token_hash);
  `,
);
