import type { ShownClient } from '../../app/oauth/clients.ts';
import type { Approval, ReportingDeps } from '../../app/oauth/grants.ts';
import { commonPermissions } from '../../domain/oauth/scope.ts';
import { permissionsOf } from '../../domain/role.ts';
import type { Accounts } from '../accounts.ts';
import type { AccessRequest } from './decision-pages.ts';

/** Dependencies of the pages on which users decide about a client's access. */
export interface DecisionParts {
  readonly deps: ReportingDeps;
  readonly accounts: Accounts;
  readonly shownClient: (id: string) => Promise<ShownClient | undefined>;
}

/**
 * Returns the decision that a user submitted with a form, or the problem with the form. The approval is undefined if
 * the user denied access.
 */
export function readDecision(
  form: URLSearchParams,
  { signedIn, client, memberships, permissions }: AccessRequest,
): { approval: Approval | undefined } | { problem: string } {
  if (form.get('decision') !== 'allow') return { approval: undefined };
  const membership = memberships.find(({ organization }) => organization.id === form.get('organization'));
  if (!membership) return { problem: 'Choose an organization.' };
  const { organization, role } = membership;
  const ticked = commonPermissions(form.getAll('scope'), permissions);
  if (ticked.length === 0) return { problem: 'Choose at least one permission, or deny the access.' };
  const scopes = commonPermissions(ticked, permissionsOf(role));
  if (scopes.length === 0) {
    return { problem: `Your role in ${organization.name} (${role}) includes none of these permissions.` };
  }
  return { approval: { signedIn, organization, client, scopes } };
}
