import { outboxMigrations } from '@tocsin/outbox';
import { monitors } from './001-monitors.ts';
import { secretsAndHeartbeats } from './002-secrets-and-heartbeats.ts';
import { history } from './003-history.ts';
import { deadlines } from './004-deadlines.ts';
import { scriptRuns } from './005-script-runs.ts';
import { maintenance } from './006-maintenance.ts';
import { maintenanceAtWork } from './007-maintenance-at-work.ts';
import { dayDue } from './008-day-due.ts';
import { heartbeatTokenHash } from './009-heartbeat-token-hash.ts';
import { deletedChannels } from './010-deleted-channels.ts';
import { renewedCertificates } from './011-renewed-certificates.ts';
import { brokenChannels } from './012-broken-channels.ts';
import { channelLinks } from './013-channel-links.ts';
import { stoppedMonitors } from './014-stopped-monitors.ts';
import { millisecondOffsets } from './016-millisecond-offsets.ts';
import { partitions } from './017-partitions.ts';
import { alertedBefore } from './018-alerted-before.ts';
import { deletedMonitors } from './019-deleted-monitors.ts';
import { monitorCounts } from './020-monitor-counts.ts';

/** Migrations in the order in which they run. */
export const migrations = [
  ...outboxMigrations,
  monitors,
  secretsAndHeartbeats,
  history,
  deadlines,
  scriptRuns,
  maintenance,
  maintenanceAtWork,
  dayDue,
  heartbeatTokenHash,
  deletedChannels,
  renewedCertificates,
  brokenChannels,
  channelLinks,
  stoppedMonitors,
  millisecondOffsets,
  partitions,
  alertedBefore,
  deletedMonitors,
  monitorCounts,
];
