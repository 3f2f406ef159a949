import { exportOrganization } from '../app/export-organization.ts';
import { cancelOrganizationDeletion, requestOrganizationDeletion } from '../app/organization-deletion.ts';
import {
  addDomain,
  changeProvider,
  enforceProvider,
  proveDomain,
  readProviderSettings,
  removeDomain,
  removeProvider,
} from '../app/organization-provider.ts';
import type { Deps } from '../app/ports.ts';
import { readAccount } from '../app/read-account.ts';
import { providerRedirectUri } from '../app/sign-in-at-provider.ts';
import type { Membership } from '../domain/membership.ts';
import type { SignedIn } from '../domain/session.ts';
import type { Accounts } from './accounts.ts';
import { type Exchange, readForm, redirectTo, sendLines, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { memberHandler } from './member-handler.ts';
import { settingsPath } from './organization-pages.ts';
import { settingsPage } from './settings-pages.ts';

const PATH = settingsPath(':organization');

/** Returns the routes for an organization's settings. Users who are not members get a 404. */
export function organizationRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  const forMember = memberHandler(deps, accounts);

  async function show(exchange: Exchange, signedIn: SignedIn, membership: Membership, problem?: string): Promise<void> {
    const { proof } = await readAccount(deps, signedIn);
    const isCancelled = exchange.url.searchParams.has('cancelled') && !membership.organization.deleteAt;
    const message = isCancelled
      ? 'The deletion was cancelled. The organization works again.'
      : exchange.url.searchParams.has('saved')
        ? 'The change was saved.'
        : undefined;
    const { id } = membership.organization;
    const provider = membership.role === 'owner' ? await readProviderSettings(deps, id) : undefined;
    const redirectUri = providerRedirectUri(deps.baseUrl, id);
    const shown = { user: signedIn.user, membership, proof, provider, redirectUri };
    const page = settingsPage(shown, { problem, message });
    sendPage(exchange, problem ? 422 : 200, page);
  }

  /** Shows the problem with a change, or the changed settings. */
  async function finish(exchange: Exchange, signedIn: SignedIn, membership: Membership, problem: string | undefined) {
    if (problem) await show(exchange, signedIn, membership, problem);
    else redirectTo(exchange, `${settingsPath(membership.organization.id)}?saved`);
  }

  /** Reads the form of a change that needs a fresh sign-in or the current password. */
  async function ownerChange(exchange: Exchange, signedIn: SignedIn, { organization }: Membership) {
    const current = (await readForm(exchange)).get('current') ?? '';
    return { organizationId: organization.id, signedIn, current };
  }

  return [
    {
      path: `${PATH}/provider`,
      post: forMember(async (exchange, signedIn, membership) => {
        const form = await readForm(exchange);
        const field = (name: string) => (form.get(name) ?? '').trim();
        const input = {
          issuer: field('issuer'),
          clientId: field('client_id'),
          clientSecret: field('client_secret'),
          roleClaim: field('role_claim'),
          current: form.get('current') ?? '',
        };
        const organizationId = membership.organization.id;
        await finish(exchange, signedIn, membership, await changeProvider(deps, { organizationId, signedIn, input }));
      }),
    },
    {
      path: `${PATH}/provider/remove`,
      post: forMember(async (exchange, signedIn, membership) => {
        const change = await ownerChange(exchange, signedIn, membership);
        await finish(exchange, signedIn, membership, await removeProvider(deps, change));
      }),
    },
    {
      path: `${PATH}/provider/enforce`,
      post: forMember(async (exchange, signedIn, membership) => {
        const form = await readForm(exchange);
        const problem = await enforceProvider(deps, {
          organizationId: membership.organization.id,
          signedIn,
          current: form.get('current') ?? '',
          isEnforced: form.get('enforced') === 'true',
        });
        await finish(exchange, signedIn, membership, problem);
      }),
    },
    {
      path: `${PATH}/domains`,
      post: forMember(async (exchange, signedIn, membership) => {
        const text = (await readForm(exchange)).get('domain') ?? '';
        const organizationId = membership.organization.id;
        await finish(exchange, signedIn, membership, await addDomain(deps, { organizationId, signedIn, text }));
      }),
    },
    {
      path: `${PATH}/domains/:id/prove`,
      post: forMember(async (exchange, signedIn, membership) => {
        const change = { organizationId: membership.organization.id, signedIn, id: exchange.params.id ?? '' };
        await finish(exchange, signedIn, membership, await proveDomain(deps, change));
      }),
    },
    {
      path: `${PATH}/domains/:id/remove`,
      post: forMember(async (exchange, signedIn, membership) => {
        const change = await ownerChange(exchange, signedIn, membership);
        const problem = await removeDomain(deps, { ...change, id: exchange.params.id ?? '' });
        await finish(exchange, signedIn, membership, problem);
      }),
    },
    { path: PATH, get: forMember((exchange, signedIn, membership) => show(exchange, signedIn, membership)) },
    {
      path: `${PATH}/export`,
      post: forMember(async (exchange, signedIn, membership) => {
        const outcome = await exportOrganization(deps, await ownerChange(exchange, signedIn, membership));
        if ('problem' in outcome) await show(exchange, signedIn, membership, outcome.problem);
        else await sendLines(exchange, `tocsin-${membership.organization.id}.ndjson`, outcome.pages);
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
