import { ALL_PERMISSIONS } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { type AdminAccess, createAdminClient } from './admin-client.ts';
import { type Bootstrap, readBootstrap, writeBootstrap } from './bootstrap-file.ts';

/** Mail address of the first organization's owner. */
const FIRST_OWNER = 'owner@localhost';

/**
 * Creates the first organization and its API key on the first start. Each step is recorded before the next one, so that
 * an interrupted start continues without repeating steps.
 */
export async function ensureFirstOrganization(
  dataDir: string,
  access: AdminAccess,
): Promise<Pick<Bootstrap, 'organization' | 'api_key'>> {
  const known = await readBootstrap(dataDir);
  if (known.organization !== undefined && known.api_key !== undefined) {
    return { organization: known.organization, api_key: known.api_key };
  }
  const admin = createAdminClient(access);
  const organization = known.organization ?? (await createOrganization(admin));
  await writeBootstrap(dataDir, { ...known, organization });
  const { key } = await admin.createApiKey({
    organizationId: organization.uuid,
    name: 'First key',
    permissions: [...ALL_PERMISSIONS],
  });
  await writeBootstrap(dataDir, { ...known, organization, api_key: key });
  return { organization, api_key: key };
}

async function createOrganization(admin: ReturnType<typeof createAdminClient>): Promise<Bootstrap['organization']> {
  const { organization } = await admin.createOrganization({ name: 'My organization', ownerEmail: FIRST_OWNER });
  if (organization === undefined) throw new Error('the response to CreateOrganization has no organization');
  return { id: Number(organization.accountNumber), uuid: organization.id, name: organization.name };
}

/** Returns a sign-in link for the first owner, which works once; undefined if this user no longer exists. */
export async function firstOwnerLink(access: AdminAccess): Promise<string | undefined> {
  try {
    return (await createAdminClient(access).createSignInLink({ email: FIRST_OWNER })).url;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'not_found') return undefined;
    throw error;
  }
}
