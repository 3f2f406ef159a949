import { sqlMigration } from '@tocsin/database';

/**
 * Adds a column for the IPv6 site (/48) that requested a device code, so that one site can't use up all device codes.
 */
export const deviceSites = sqlMigration(
  '012-device-sites',
  `
  -- SHA-256 of the /48 network that requested a device code. Null for IPv4, once the user has decided, and for other
  -- artifacts.
  alter table oauth_artifact add column site_hash bytea;
  create index oauth_artifact_site on oauth_artifact (site_hash) where site_hash is not null;
  `,
);
