import { deleteEndedApiKeys } from '../storage/api-key-store.ts';
import { deleteOldCounts } from '../storage/attempt-store.ts';
import { deleteAudit } from '../storage/audit-store.ts';
import { deleteExpiredEmailChanges } from '../storage/email-change-store.ts';
import { deleteExpiredInvitations } from '../storage/invitation-store.ts';
import { deleteExpiredArtifacts } from '../storage/oauth-artifact-store.ts';
import { deleteUnusedClients } from '../storage/oauth-client-store.ts';
import { deleteEndedGrants } from '../storage/oauth-grant-store.ts';
import { deleteExpiredAttempts } from '../storage/organization-sign-in-store.ts';
import { deleteExpiredChallenges } from '../storage/passkey-store.ts';
import { deleteEndedServiceCredentials } from '../storage/service-credential-store.ts';
import { deleteEndedSessions } from '../storage/session-store.ts';
import { deleteExpiredLinks } from '../storage/sign-in-link-store.ts';
import type { Deps } from './ports.ts';

const DAY_MS = 24 * 3_600_000;
/** How long keys are stored after they were revoked or expired. */
const ENDED_KEYS_KEPT_MS = 30 * DAY_MS;
const AUDIT_KEPT_MS = 400 * DAY_MS;
/**
 * How long OAuth tokens and codes are stored after they expired. During this time, a client that uses one of them gets
 * the error for expired tokens.
 */
const EXPIRED_TOKENS_KEPT_MS = 3_600_000;
/** How long OAuth grants are stored after they ended. */
const ENDED_GRANTS_KEPT_MS = 30 * DAY_MS;
/** How long OAuth grants without tokens, and clients that never got a grant, are stored. */
const UNUSED_KEPT_MS = DAY_MS;
const BATCH = 1_000;

/**
 * Deletes old rows, at most one batch of each kind. Ended API keys and service credentials, audit entries, attempt
 * counts, and OAuth grants, tokens and clients are deleted after their retention times. Ended sessions are deleted
 * without a retention time, as are expired sign-in links, sign-ins at providers, invitations, mail address changes and
 * passkey challenges.
 */
export async function deleteOld({ database, now }: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const before = (keptMs: number) => new Date(now().getTime() - keptMs);
  const [keys, ...others] = await database.transaction('every organization', async (tx) => [
    await deleteEndedApiKeys(tx, before(ENDED_KEYS_KEPT_MS), BATCH),
    await deleteAudit(tx, before(AUDIT_KEPT_MS), BATCH),
    await deleteEndedSessions(tx, before(0), BATCH),
    await deleteExpiredLinks(tx, before(0), BATCH),
    await deleteExpiredArtifacts(tx, before(EXPIRED_TOKENS_KEPT_MS), BATCH),
    await deleteEndedGrants(tx, {
      endedBefore: before(ENDED_GRANTS_KEPT_MS),
      unusedBefore: before(UNUSED_KEPT_MS),
      limit: BATCH,
    }),
    await deleteUnusedClients(tx, {
      unusedBefore: before(UNUSED_KEPT_MS),
      usedBefore: before(ENDED_GRANTS_KEPT_MS),
      limit: BATCH,
    }),
    await deleteExpiredInvitations(tx, before(0), BATCH),
    await deleteExpiredEmailChanges(tx, before(0), BATCH),
    await deleteExpiredAttempts(tx, before(0), BATCH),
    await deleteExpiredChallenges(tx, before(0), BATCH),
    await deleteEndedServiceCredentials(tx, before(ENDED_KEYS_KEPT_MS), BATCH),
    await deleteOldCounts(tx, before(DAY_MS), BATCH),
  ]);
  return keys > 0 || others.includes(BATCH) ? 'again' : 'done';
}
