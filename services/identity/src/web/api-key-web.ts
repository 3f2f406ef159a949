import { grants } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { createApiKey } from '../app/create-api-key.ts';
import { listApiKeys } from '../app/list-api-keys.ts';
import type { Deps } from '../app/ports.ts';
import { revokeApiKey } from '../app/revoke-api-key.ts';
import type { Membership } from '../domain/membership.ts';
import { permissionsOf } from '../domain/role.ts';
import type { SignedIn } from '../domain/session.ts';
import type { Accounts } from './accounts.ts';
import { type ApiKeysChange, apiKeysPage, LIFETIMES } from './api-key-pages.ts';
import { type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { memberHandler } from './member-handler.ts';
import { apiKeysPath } from './organization-pages.ts';

const PATH = apiKeysPath(':organization');
const DAY_MS = 24 * 3_600_000;

/** Returns the routes for an organization's API keys. Members without the permission get a 403. */
export function apiKeyRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  const forMember = memberHandler(deps, accounts);

  async function show(
    exchange: Exchange,
    { user }: SignedIn,
    membership: Membership,
    changes: ApiKeysChange,
  ): Promise<void> {
    const held = heldBy(membership, 'api_keys:read');
    const { keys } = await listApiKeys(deps, membership.organization.id, { limit: undefined, cursor: undefined });
    sendPage(exchange, changes.problem ? 422 : 200, apiKeysPage({ user, membership, keys, held }, changes));
  }

  return [
    {
      path: PATH,
      get: forMember((exchange, signedIn, membership) =>
        show(exchange, signedIn, membership, { isRevoked: exchange.url.searchParams.has('revoked') }),
      ),
      post: forMember(async (exchange, signedIn, membership) => {
        const permissions = heldBy(membership, 'api_keys:read_write');
        const sent = await readForm(exchange);
        const form = {
          name: (sent.get('name') ?? '').trim(),
          permissions: sent.getAll('permission').filter(Boolean),
          lifetime: sent.get('lifetime') ?? '',
        };
        const refuse = (problem: string) => show(exchange, signedIn, membership, { problem, form });
        const { name, lifetime } = form;
        if (!LIFETIMES.some(([days]) => days === lifetime)) return refuse('Choose a time from the list.');
        if (form.permissions.length === 0) return refuse('Choose what the key may do.');
        const { user, session } = signedIn;
        const { address } = session.device;
        const by = { kind: 'member', actor: user.email, userId: user.id, credentialId: session.id } as const;
        try {
          const { key } = await createApiKey(deps, {
            organizationId: membership.organization.id,
            creator: { ...by, permissions, address },
            name,
            permissions: form.permissions,
            expiresAt: lifetime === '' ? undefined : new Date(deps.now().getTime() + Number(lifetime) * DAY_MS),
          });
          await show(exchange, signedIn, membership, { created: { name, key } });
        } catch (error) {
          if (!(error instanceof ServiceError && error.kind === 'invalid')) throw error;
          await refuse(`The key was not created: ${error.message}.`);
        }
      }),
    },
    {
      path: `${PATH}/:id/revoke`,
      post: forMember(async (exchange, { user, session }, membership) => {
        heldBy(membership, 'api_keys:read_write');
        const organizationId = membership.organization.id;
        const by = { actor: user.email, address: session.device.address, credentialId: session.id };
        await revokeApiKey(deps, { organizationId, id: exchange.params.id ?? '', ...by });
        redirectTo(exchange, `${apiKeysPath(organizationId)}?revoked`);
      }),
    },
  ];
}

/**
 * Returns the permissions of a member.
 * @throws ServiceError `forbidden` if `needed` is not among them.
 */
function heldBy({ role }: Membership, needed: string): readonly string[] {
  const held = permissionsOf(role);
  if (!grants(held, needed)) throw new ServiceError('forbidden', 'Only owners and admins manage API keys.');
  return held;
}
