import { outboxMigrations } from '@tocsin/outbox';
import { tables } from './001-tables.ts';
import { limitsAndDescent } from './002-limits-and-descent.ts';
import { signIn } from './003-sign-in.ts';
import { oauth } from './004-oauth.ts';
import { passwords } from './005-passwords.ts';
import { secondFactor } from './006-second-factor.ts';
import { invitations } from './007-invitations.ts';
import { auditPages } from './008-audit-pages.ts';
import { serviceCredentials } from './009-service-credentials.ts';
import { deviceNetworks } from './010-device-networks.ts';
import { firstFactors } from './011-first-factors.ts';
import { deviceSites } from './012-device-sites.ts';
import { emailChanges } from './013-email-changes.ts';
import { deletions } from './014-deletions.ts';
import { passkeys } from './015-passkeys.ts';
import { organizationSignIn } from './016-organization-sign-in.ts';
import { providerSessions } from './017-provider-sessions.ts';

export const migrations = [
  ...outboxMigrations,
  tables,
  limitsAndDescent,
  signIn,
  oauth,
  passwords,
  secondFactor,
  invitations,
  auditPages,
  serviceCredentials,
  deviceNetworks,
  firstFactors,
  deviceSites,
  emailChanges,
  deletions,
  passkeys,
  organizationSignIn,
  providerSessions,
];
