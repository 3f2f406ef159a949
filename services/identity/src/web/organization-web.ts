import { ServiceError } from '@tocsin/errors';
import { exportOrganization } from '../app/export-organization.ts';
import { cancelOrganizationDeletion, requestOrganizationDeletion } from '../app/organization-deletion.ts';
import type { Deps } from '../app/ports.ts';
import { readAccount } from '../app/read-account.ts';
import type { Membership } from '../domain/membership.ts';
import type { SignedIn } from '../domain/session.ts';
import type { Accounts } from './accounts.ts';
import { type Exchange, readForm, redirectTo, sendLines, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { memberHandler } from './member-handler.ts';
import { settingsPath } from './organization-pages.ts';
import { settingsPage } from './settings-pages.ts';

const PATH = settingsPath(':organization');

/** Returns the routes of the settings of an organization. Users who are not members get a 404. */
export function organizationRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  const forMember = memberHandler(deps, accounts);

  async function show(exchange: Exchange, signedIn: SignedIn, membership: Membership, problem?: string): Promise<void> {
    const { proof } = await readAccount(deps, signedIn);
    const isCancelled = exchange.url.searchParams.has('cancelled') && !membership.organization.deleteAt;
    const message = isCancelled ? 'The deletion was cancelled. The organization works again.' : undefined;
    const page = settingsPage({ user: signedIn.user, membership, proof }, { problem, message });
    sendPage(exchange, problem ? 422 : 200, page);
  }

  return [
    { path: PATH, get: forMember((exchange, signedIn, membership) => show(exchange, signedIn, membership)) },
    {
      path: `${PATH}/export`,
      post: forMember(async (exchange, signedIn, membership) => {
        const { id } = membership.organization;
        try {
          await sendLines(
            exchange,
            `tocsin-${id}.ndjson`,
            await exportOrganization(deps, { organizationId: id, signedIn }),
          );
        } catch (error) {
          if (!(error instanceof ServiceError && error.kind === 'rate_limited')) throw error;
          await show(exchange, signedIn, membership, error.message);
        }
      }),
    },
    {
      path: `${PATH}/delete`,
      post: forMember(async (exchange, signedIn, membership) => {
        const form = await readForm(exchange);
        const { id } = membership.organization;
        const problem = await requestOrganizationDeletion(deps, {
          organizationId: id,
          signedIn,
          name: form.get('name') ?? '',
          current: form.get('current') ?? '',
        });
        if (problem) await show(exchange, signedIn, membership, problem);
        else redirectTo(exchange, settingsPath(id));
      }),
    },
    {
      path: `${PATH}/cancel-deletion`,
      post: forMember(async (exchange, signedIn, { organization }) => {
        await cancelOrganizationDeletion(deps, organization.id, { kind: 'member', signedIn });
        redirectTo(exchange, `${settingsPath(organization.id)}?cancelled`);
      }),
    },
  ];
}
