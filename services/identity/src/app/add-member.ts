import { invalid, notFound } from '@tocsin/errors';
import { isEmail, isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { MAX_MEMBERS, type Member } from '../domain/member-rules.ts';
import { isRole, ROLES } from '../domain/role.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { lockMembers, listMembers as readMembers, saveMembership } from '../storage/membership-store.ts';
import { organizationExists, upsertUser } from '../storage/organization-store.ts';
import { changeMember } from './members.ts';
import type { Deps } from './ports.ts';

/**
 * Adds a member on behalf of the operator, without an invitation. Changes the role of an existing member.
 * @throws ServiceError `invalid` that names all invalid fields or the exceeded limit, `not_found` if the organization
 * does not exist, `forbidden` if the last owner would lose the role.
 */
export async function addMember(
  deps: Pick<Deps, 'database' | 'now'>,
  { organizationId, email, role, actor }: { organizationId: string; email: string; role: string; actor: string },
): Promise<Member> {
  const fields = {
    ...(isEmail(email) ? {} : { email: ['must be a mail address such as jane@example.com'] }),
    ...(isRole(role) ? {} : { role: [`must be one of ${ROLES.join(', ')}`] }),
  };
  if (Object.keys(fields).length > 0 || !isRole(role)) throw invalid(fields);
  if (!isId(organizationId)) throw notFound('organization');
  const since = deps.now();
  const added = await deps.database.transaction({ organizationId }, async (tx) => {
    if (!(await organizationExists(tx, organizationId))) throw notFound('organization');
    await lockMembers(tx, organizationId);
    const userId = await upsertUser(tx, { id: v7(), email, createdAt: since });
    const members = await readMembers(tx, organizationId);
    const known = members.find((member) => member.userId === userId);
    if (known) return known;
    if (members.length >= MAX_MEMBERS) throw invalid({ members: [`are limited to ${MAX_MEMBERS}`] });
    await saveMembership(tx, { organizationId, userId, role, createdAt: since });
    const entry = { organizationId, actor, action: 'member.added', targetId: userId, occurredAt: since };
    await insertAudit(tx, { ...entry, details: { email, role } });
    return { userId, email, role, since };
  });
  if (added.role !== role) {
    const change = { organizationId, userId: added.userId, role, actor: { kind: 'operator', name: actor } } as const;
    await changeMember(deps, change);
  }
  return { ...added, role };
}

/**
 * Removes a member on behalf of the operator.
 * @throws ServiceError `not_found` if the organization or the member does not exist, `forbidden` if the member is the
 * last owner.
 */
export async function removeMember(
  deps: Pick<Deps, 'database' | 'now'>,
  { organizationId, email, actor }: { organizationId: string; email: string; actor: string },
): Promise<void> {
  if (!isId(organizationId)) throw notFound('organization');
  const members = await deps.database.transaction({ organizationId }, (tx) => readMembers(tx, organizationId));
  const member = members.find((one) => one.email.toLowerCase() === email.toLowerCase());
  if (!member) throw notFound('member');
  const operator = { kind: 'operator', name: actor } as const;
  await changeMember(deps, { organizationId, userId: member.userId, role: undefined, actor: operator });
}
