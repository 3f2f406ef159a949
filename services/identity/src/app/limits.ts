import { isLimitName, LIMIT_NAMES, type Limits, MAX_LIMIT, toLimits } from '@tocsin/enums';
import { invalid, notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { insertAudit } from '../storage/audit-store.ts';
import { listLimits, saveLimit } from '../storage/limit-store.ts';
import { organizationExists } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

export interface OrganizationLimits {
  readonly limits: Limits;
  /** Names of the limits that the operator set for this organization. */
  readonly set: readonly string[];
}

/**
 * Returns the limits of an organization.
 * @throws ServiceError `not_found` if the organization does not exist.
 */
export async function getLimits(
  { database, defaultLimits }: Deps,
  organizationId: string,
): Promise<OrganizationLimits> {
  if (!isId(organizationId)) throw notFound('organization');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await organizationExists(tx, organizationId))) throw notFound('organization');
    const own = await listLimits(tx, organizationId);
    return { limits: toLimits({ ...defaultLimits, ...own }), set: Object.keys(own) };
  });
}

/**
 * Sets a limit for an organization. If the value is undefined, the default applies again. If the organization already
 * has more resources than the limit allows, they remain, but no more can be added.
 * @throws ServiceError `invalid` with the errors of all invalid fields, or `not_found` if the organization does not
 * exist.
 */
export async function setLimit(
  deps: Deps,
  {
    organizationId,
    name,
    value,
    actor,
  }: {
    organizationId: string;
    name: string;
    value: number | undefined;
    actor: string;
  },
): Promise<OrganizationLimits> {
  if (!isLimitName(name)) throw invalid({ name: [`must be one of ${LIMIT_NAMES.join(', ')}`] });
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0 && value <= MAX_LIMIT)) {
    throw invalid({ value: [`must be a whole number from 0 to ${MAX_LIMIT}`] });
  }
  await getLimits(deps, organizationId);
  const occurredAt = deps.now();
  await deps.database.transaction({ organizationId }, async (tx) => {
    await saveLimit(tx, organizationId, name, value);
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'limit.set',
      targetId: organizationId,
      details: { name, value: value ?? null },
      occurredAt,
    });
  });
  return getLimits(deps, organizationId);
}
