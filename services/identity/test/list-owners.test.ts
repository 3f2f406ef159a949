import { forOrganization } from '@tocsin/runtime';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture } from './start-identity.ts';

const fixture = await identityFixture();
const server = await fixture.start();
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

const { admin } = clientsOf(server, 'admin');
const { identity: notifier } = clientsOf(server, 'notifier');

test('the notifier gets only the owners of the organization in its token', async () => {
  const { organization, ownerId } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  await admin.createOrganization({ name: 'Other', ownerEmail: 'joe@example.com' });
  const organizationId = organization?.id ?? '';
  const [coOwner, member] = [v7(), v7()];
  await tables.transaction('every organization', async (tx) => {
    for (const [id, role] of [
      [coOwner, 'owner'],
      [member, 'member'],
    ]) {
      await tx.query(`insert into app_user (id, email, created_at) values ($1, $2, now())`, [id, `${id}@example.com`]);
      await tx.query('insert into membership values ($1, $2, $3, now())', [organizationId, id, role]);
    }
  });
  const { owners } = await notifier.listOwners({}, forOrganization(organizationId));
  expect(owners).toMatchObject([
    { id: ownerId, email: 'jane@example.com' },
    { id: coOwner, email: `${coOwner}@example.com` },
  ]);
});

test('only the notifier can list owners, and only for one organization', async () => {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  const options = forOrganization(organization?.id ?? '');
  await expect(clientsOf(server, 'monitor').identity.listOwners({}, options)).rejects.toMatchObject({
    kind: 'forbidden',
  });
  await expect(notifier.listOwners({})).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(clientsOf(server).identity.listOwners({})).rejects.toMatchObject({ kind: 'unauthenticated' });
});
