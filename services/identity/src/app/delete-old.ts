import { deleteEndedApiKeys } from '../storage/api-key-store.ts';
import { deleteAudit } from '../storage/audit-store.ts';
import { deleteEndedSessions } from '../storage/session-store.ts';
import { deleteExpiredLinks } from '../storage/sign-in-link-store.ts';
import type { Deps } from './ports.ts';

const DAY_MS = 24 * 3_600_000;
/** Time for which keys are stored after they were revoked or expired. */
const ENDED_KEYS_KEPT_MS = 30 * DAY_MS;
const AUDIT_KEPT_MS = 400 * DAY_MS;
const BATCH = 1_000;

/**
 * Deletes a batch each of ended API keys and of audit entries after their retention times, and of ended sessions and
 * expired sign-in links.
 */
export async function deleteOld({ database, now }: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const before = (keptMs: number) => new Date(now().getTime() - keptMs);
  const [keys, ...others] = await database.transaction('every organization', async (tx) => [
    await deleteEndedApiKeys(tx, before(ENDED_KEYS_KEPT_MS), BATCH),
    await deleteAudit(tx, before(AUDIT_KEPT_MS), BATCH),
    await deleteEndedSessions(tx, before(0), BATCH),
    await deleteExpiredLinks(tx, before(0), BATCH),
  ]);
  return keys > 0 || others.includes(BATCH) ? 'again' : 'done';
}
