import type { Transaction } from '@tocsin/database';
import { appendEvents, type OutgoingEvent } from '@tocsin/outbox';
import { decideAnnouncement, postponedUntil } from '../domain/announcement.ts';
import type { Disruption } from '../domain/disruption.ts';
import type { StatusPage } from '../domain/page.ts';
import { pageUrl } from '../domain/public-url.ts';
import { pageNoticePosted } from '../events/outgoing.ts';
import {
  type AnnouncementKey,
  deleteAnnouncement,
  insertAnnouncement,
  listDueAnnouncements,
  lockAnnouncement,
  lockDueAnnouncement,
  postponeAnnouncement,
  saveAnnounced,
} from '../storage/announcement-store.ts';
import { listPageDisruptions, type StoredBefore } from '../storage/disruption-store.ts';
import { findSubscribablePages } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

type AnnounceDeps = Pick<Deps, 'address' | 'now' | 'writeNotice'>;

/** A saved change to a disruption. */
export interface SavedChange {
  readonly disruption: Disruption;
  /** Monitor of an automatic disruption. */
  readonly monitorId: string | undefined;
  readonly before: StoredBefore;
}

/**
 * Decides for each page that shows a disruption whether its subscribers are informed about a change, as
 * decideAnnouncement() has it. Returns the events, which the caller appends after it has locked the components: all
 * writers lock in this order. The age of an entry ends when the change is processed, so changes that arrive late are
 * history.
 */
export async function announceChange(
  deps: AnnounceDeps,
  tx: Transaction,
  change: SavedChange,
): Promise<OutgoingEvent[]> {
  const { disruption, monitorId, before } = change;
  const { organizationId, id: disruptionId, autoCreated, statusPageIds } = disruption;
  const known = new Set(before.updateIds);
  const added = disruption.updates.filter(({ id }) => !known.has(id));
  const now = deps.now();
  const events: OutgoingEvent[] = [];
  for (const page of await findSubscribablePages(tx, organizationId, statusPageIds)) {
    const key = { organizationId, pageId: page.id, disruptionId };
    const state = autoCreated ? await lockAnnouncement(tx, key) : 'none';
    const isNewOnPage = !before.pageIds.includes(page.id);
    const decision = decideAnnouncement({ disruption, added, isNewOnPage, state, now });
    if (decision.kind === 'wait') await insertAnnouncement(tx, key, { monitorId, dueAt: decision.until });
    if (decision.kind === 'cancel') await deleteAnnouncement(tx, key);
    if (decision.kind !== 'announce') continue;
    if (autoCreated) await saveAnnounced(tx, key, { monitorId, at: now });
    events.push(...(await noticeEvents(deps, tx, page, { disruptionId, updateId: decision.updateId })));
  }
  return events;
}

/** Maximum number of announcements that one call publishes. */
const BATCH = 100;

/**
 * Announces the automatic disruptions that have been open for long enough. A disruption whose monitor had another one
 * announced within the last hour is postponed. Any number of replicas may run this at the same time.
 */
export async function announceDue(deps: AnnounceDeps & Pick<Deps, 'database'>): Promise<'again' | 'done'> {
  const { database, now } = deps;
  const due = await database.transaction('every organization', (tx) => listDueAnnouncements(tx, now(), BATCH));
  for (const key of due) {
    await database.transaction({ organizationId: key.organizationId }, (tx) => announceOpening(deps, tx, key));
  }
  return due.length === BATCH ? 'again' : 'done';
}

async function announceOpening(deps: AnnounceDeps, tx: Transaction, key: AnnouncementKey): Promise<void> {
  const { organizationId, pageId, disruptionId } = key;
  const now = deps.now();
  const due = await lockDueAnnouncement(tx, key, now);
  if (!due) return;
  const postponed = postponedUntil(due.lastAt, now);
  if (postponed) return postponeAnnouncement(tx, key, postponed);
  const [page] = await findSubscribablePages(tx, organizationId, [pageId]);
  const disruption = page && (await findOnPage(tx, page, disruptionId));
  const [newest] = disruption?.updates ?? [];
  if (!page || !newest || disruption?.resolvedAt) return deleteAnnouncement(tx, key);
  await saveAnnounced(tx, key, { monitorId: due.monitorId, at: now });
  await appendEvents(tx, await noticeEvents(deps, tx, page, { disruptionId, updateId: newest.id }), now);
}

/** Returns the event about an entry; empty if the page does not show the entry. */
async function noticeEvents(
  { address, writeNotice }: AnnounceDeps,
  tx: Transaction,
  page: StatusPage,
  { disruptionId, updateId }: { disruptionId: string; updateId: string },
): Promise<OutgoingEvent[]> {
  const disruption = await findOnPage(tx, page, disruptionId);
  const url = pageUrl(page, address);
  const notice = disruption && writeNotice(page, url, { disruption, updateId });
  return notice ? [pageNoticePosted(page, url, notice)] : [];
}

async function findOnPage(tx: Transaction, { organizationId, id: pageId }: StatusPage, id: string) {
  const { shown } = await listPageDisruptions(tx, organizationId, pageId, { since: new Date(0), id });
  return shown[0];
}
