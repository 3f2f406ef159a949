import { outboxMigrations } from '@tocsin/outbox';
import { channelsAndDeliveries } from './001-channels-and-deliveries.ts';
import { subscriptions } from './002-subscriptions.ts';
import { mail } from './003-mail.ts';
import { disruptionIds } from './004-disruption-ids.ts';
import { deliveryHeads } from './005-delivery-heads.ts';
import { retriesAndHeldAlerts } from './006-retries-and-held-alerts.ts';
import { openIncidents } from './007-open-incidents.ts';
import { deletedChannels } from './008-deleted-channels.ts';
import { outageLinks } from './009-outage-links.ts';
import { brokenAndHealed } from './010-broken-and-healed.ts';
import { deadLetters } from './011-dead-letters.ts';
import { mailRecipients } from './012-mail-recipients.ts';
import { storms } from './013-storms.ts';
import { alertPolicy } from './014-alert-policy.ts';
import { ownerMailLetters } from './015-owner-mail-letters.ts';
import { mailboxRequests } from './016-mailbox-requests.ts';
import { stoppedChannels } from './017-stopped-channels.ts';
import { manualAttempts } from './018-manual-attempts.ts';
import { endedDeliveries } from './019-ended-deliveries.ts';
import { subscribers } from './020-subscribers.ts';
import { timersByOrganization } from './021-timers-by-organization.ts';
import { requestsByOrganization } from './022-requests-by-organization.ts';
import { headsByRecipient } from './023-heads-by-recipient.ts';

/** Migrations in order of execution. */
export const migrations = [
  ...outboxMigrations,
  channelsAndDeliveries,
  subscriptions,
  mail,
  disruptionIds,
  deliveryHeads,
  retriesAndHeldAlerts,
  openIncidents,
  deletedChannels,
  outageLinks,
  brokenAndHealed,
  deadLetters,
  mailRecipients,
  storms,
  alertPolicy,
  ownerMailLetters,
  mailboxRequests,
  stoppedChannels,
  manualAttempts,
  endedDeliveries,
  subscribers,
  timersByOrganization,
  requestsByOrganization,
  headsByRecipient,
];
