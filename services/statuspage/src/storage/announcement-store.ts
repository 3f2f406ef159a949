import type { Transaction } from '@tocsin/database';
import type { AnnouncementState } from '../domain/announcement.ts';
import type { Tables } from './tables.ts';

/** An automatic disruption on a page. */
export interface AnnouncementKey {
  readonly organizationId: string;
  readonly pageId: string;
  readonly disruptionId: string;
}

/** Returns the state of an announcement, and locks the announcement until the transaction ends. */
export async function lockAnnouncement(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
): Promise<AnnouncementState> {
  const [row] = await tx.query<Pick<Tables['announcement'], 'due_at'>>(
    `select due_at from announcement where organization_id = $1 and status_page_id = $2 and disruption_id = $3
     for update`,
    [organizationId, pageId, disruptionId],
  );
  if (!row) return 'none';
  return row.due_at === null ? 'announced' : 'waiting';
}

/** Schedules an announcement, unless the disruption has one. */
export async function insertAnnouncement(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
  { monitorId, dueAt }: { monitorId: string | undefined; dueAt: Date },
): Promise<void> {
  await tx.query(
    `insert into announcement (status_page_id, disruption_id, organization_id, monitor_id, due_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [pageId, disruptionId, organizationId, monitorId ?? null, dueAt],
  );
}

export async function saveAnnounced(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
  { monitorId, at }: { monitorId: string | undefined; at: Date },
): Promise<void> {
  await tx.query(
    `insert into announcement (status_page_id, disruption_id, organization_id, monitor_id, announced_at)
     values ($1, $2, $3, $4, $5)
     on conflict (status_page_id, disruption_id) do update set due_at = null, announced_at = excluded.announced_at
     where announcement.announced_at is null`,
    [pageId, disruptionId, organizationId, monitorId ?? null, at],
  );
}

export async function postponeAnnouncement(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
  dueAt: Date,
): Promise<void> {
  await tx.query(
    `update announcement set due_at = $4 where organization_id = $1 and status_page_id = $2 and disruption_id = $3`,
    [organizationId, pageId, disruptionId, dueAt],
  );
}

export async function deleteAnnouncement(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
): Promise<void> {
  await tx.query('delete from announcement where organization_id = $1 and status_page_id = $2 and disruption_id = $3', [
    organizationId,
    pageId,
    disruptionId,
  ]);
}

/** SQL expression for the time at which an announcement is due. */
export const ANNOUNCEMENT_DUE = '(select min(due_at) from announcement)';

/** Returns due announcements, the oldest first. Needs a transaction across organizations. */
export async function listDueAnnouncements(tx: Transaction, now: Date, limit: number): Promise<AnnouncementKey[]> {
  const rows = await tx.query<Pick<Tables['announcement'], 'organization_id' | 'status_page_id' | 'disruption_id'>>(
    `select organization_id, status_page_id, disruption_id from announcement where due_at <= $1
     order by due_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => ({
    organizationId: row.organization_id,
    pageId: row.status_page_id,
    disruptionId: row.disruption_id,
  }));
}

/**
 * Locks a due announcement. Returns its monitor, and the time at which the last disruption of this monitor was
 * announced on the page. Returns undefined if the announcement is not due, or if another transaction has locked it.
 */
export async function lockDueAnnouncement(
  tx: Transaction,
  { organizationId, pageId, disruptionId }: AnnouncementKey,
  now: Date,
): Promise<{ readonly monitorId: string | undefined; readonly lastAt: Date | undefined } | undefined> {
  const [row] = await tx.query<Pick<Tables['announcement'], 'monitor_id'>>(
    `select monitor_id from announcement
     where organization_id = $1 and status_page_id = $2 and disruption_id = $3 and due_at <= $4
     for update skip locked`,
    [organizationId, pageId, disruptionId, now],
  );
  if (!row) return undefined;
  const [last] = await tx.query<{ at: Date | null }>(
    `select max(announced_at) as at from announcement
     where organization_id = $1 and status_page_id = $2 and monitor_id = $3`,
    [organizationId, pageId, row.monitor_id],
  );
  return { monitorId: row.monitor_id ?? undefined, lastAt: last?.at ?? undefined };
}
