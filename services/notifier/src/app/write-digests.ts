import { v5 } from 'uuid';
import { lastDigestTime, listedSince } from '../domain/digest-time.ts';
import { weeklyDigest } from '../domain/owner-emails.ts';
import { listMonitorsWithoutChannel, organizationsToMail } from '../storage/watched-monitor-store.ts';
import { emailOwners } from './email-owners.ts';
import type { Deps } from './ports.ts';

const BATCH = 100;
/** Maximum number of monitors in one digest. */
const NAMED = 50;
/** UUID namespace for the ids of digests. */
const NAMESPACE = '6f1d3c52-3b0e-4a44-9d0b-1f6f6c0a7e19';

/**
 * Inserts the latest weekly digest for each organization that has monitors without a channel and does not have this
 * digest yet. Missed digests of earlier weeks are not sent.
 */
export async function writeDigests({ database, now }: Deps): Promise<'again' | 'done'> {
  const due = lastDigestTime(now());
  const since = listedSince(due);
  const organizationIds = await database.transaction('every organization', (tx) =>
    organizationsToMail(tx, { due, since, limit: BATCH }),
  );
  for (const organizationId of organizationIds) {
    await database.transaction({ organizationId }, async (tx) => {
      const { monitors, total } = await listMonitorsWithoutChannel(tx, { organizationId, since, limit: NAMED });
      if (total === 0) return;
      const about = {
        ...({ organizationId, kind: 'weekly_digest', resourceId: organizationId, occurredAt: due } as const),
        // All replicas derive the same id, so only one of them inserts the digest.
        eventId: v5(`${organizationId} ${due.toISOString()}`, NAMESPACE),
      };
      await emailOwners(tx, about, weeklyDigest(monitors, total));
    });
  }
  return organizationIds.length === BATCH ? 'again' : 'done';
}
