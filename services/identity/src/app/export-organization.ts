import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { listOrganizationRows } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import type { SignedIn } from '../domain/session.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { EXPORTED } from '../storage/exported-columns.ts';
import { listMembers } from '../storage/membership-store.ts';
import { findOrganizationName } from '../storage/organization-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { actorEntry, type MemberActor, readMembership } from './members.ts';
import { type Deps, EXPORTING_SERVICES } from './ports.ts';
import { proveUser } from './prove-user.ts';

type ExportDeps = Pick<Deps, 'database' | 'now' | 'exports'>;

/** A page of an export. */
export interface ExportPage {
  /** Lines of JSON with `service`, `table` and `row`. Each line ends with a line break. */
  readonly lines: string;
  /** Cursor for the next page; undefined on the last page. */
  readonly next: string | undefined;
}

const SERVICES = ['identity', ...EXPORTING_SERVICES] as const;

/**
 * Exports an organization on behalf of an owner. Needs a fresh sign-in or the current password. Adds an entry to the
 * audit log.
 * @returns The `lines` of each page of the export, or the problem that prevents the export.
 * @throws ServiceError `forbidden` for a user who is not an owner, `not_found` for one who is not a member.
 */
export async function exportOrganization(
  deps: ExportDeps & Pick<Deps, 'passwordChecks'>,
  { organizationId, signedIn, current }: { organizationId: string; signedIn: SignedIn; current: string },
): Promise<{ pages: AsyncIterable<string> } | { problem: string }> {
  const { role } = await readMembership(deps, organizationId, signedIn.user);
  if (role !== 'owner') throw new ServiceError('forbidden', 'Only an owner exports the organization.');
  const problem = await proveUser(deps, signedIn, current);
  if (problem) return { problem };
  if (!(await isWithinLimit(deps, 'export_of_organization', organizationId))) {
    return { problem: 'There were too many exports today. Try again tomorrow.' };
  }
  return { pages: pagesOf(deps, organizationId, { kind: 'member', signedIn }) };
}

async function* pagesOf(deps: ExportDeps, organizationId: string, actor: MemberActor): AsyncIterable<string> {
  let cursor: string | undefined;
  do {
    const page = await exportPage(deps, { organizationId, cursor, actor });
    yield page.lines;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * Returns a page of everything that the services store for an organization. Secrets and individual check results are
 * left out; the daily counts of the results are included. The pages are read at different times, so they are not a
 * consistent snapshot. The first page adds an entry to the audit log.
 * @throws ServiceError `not_found` if the organization does not exist, `invalid` for a cursor that no earlier page
 * returned.
 */
export async function exportPage(
  deps: ExportDeps,
  { organizationId, cursor, actor }: { organizationId: string; cursor: string | undefined; actor: MemberActor },
): Promise<ExportPage> {
  if (!isId(organizationId)) throw notFound('organization');
  if (cursor === undefined) return firstPage(deps, organizationId, actor);
  const separator = cursor.indexOf(':');
  const service = SERVICES.find((name) => name === cursor.slice(0, separator));
  if (!service) throw invalid({ cursor: ['is not a cursor of this list'] });
  const within = cursor.slice(separator + 1) || undefined;
  const { rows, next } =
    service === 'identity'
      ? await listOrganizationRows(deps.database, { organizationId, cursor: within, exported: EXPORTED })
      : await deps.exports.listRows(service, organizationId, within);
  const following = SERVICES[SERVICES.indexOf(service) + 1];
  return {
    // Each row is a JSON object, to which the name of the service is added.
    lines: rows.map((text) => `{"service":"${service}",${text.slice(1)}\n`).join(''),
    next: next === undefined ? following && `${following}:` : `${service}:${next}`,
  };
}

async function firstPage(
  { database, now }: ExportDeps,
  organizationId: string,
  actor: MemberActor,
): Promise<ExportPage> {
  const row = await database.transaction({ organizationId }, async (tx) => {
    const name = await findOrganizationName(tx, organizationId);
    if (name === undefined) throw notFound('organization');
    const target = { organizationId, targetId: organizationId, occurredAt: now(), details: {} };
    await insertAudit(tx, { ...target, ...actorEntry(actor), action: 'organization.exported' });
    const members = await listMembers(tx, organizationId);
    return { id: organizationId, name, members: members.map(({ email, role, since }) => ({ email, role, since })) };
  });
  return { lines: `${JSON.stringify({ service: 'identity', table: 'organization', row })}\n`, next: 'identity:' };
}
