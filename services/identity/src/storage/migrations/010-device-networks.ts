import { sqlMigration } from '@tocsin/database';

/** Adds a column for the network that requested a device code, so that one network can't use up all device codes. */
export const deviceNetworks = sqlMigration(
  '010-device-networks',
  `
  -- SHA-256 of the network that requested a device code. Null once the user has decided, and for other artifacts.
  alter table oauth_artifact add column network_hash bytea;
  create index oauth_artifact_network on oauth_artifact (network_hash) where network_hash is not null;
  `,
);
