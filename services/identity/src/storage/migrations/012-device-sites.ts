import { sqlMigration } from '@tocsin/database';

/** Adds the IPv6 sites of devices that wait for their users, so that one site can't use up all device codes. */
export const deviceSites = sqlMigration(
  '012-device-sites',
  `
  -- SHA-256 of the /48 network that requested a device code. Null for IPv4, once the user has decided, and for other
  -- artifacts.
  alter table oauth_artifact add column site_hash bytea;
  create index oauth_artifact_site on oauth_artifact (site_hash) where site_hash is not null;
  `,
);
