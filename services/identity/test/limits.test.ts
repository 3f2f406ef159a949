import { createRemoteTokenVerifier } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { clientsOf, identityFixture, urlOf } from './start-identity.ts';

const fixture = await identityFixture();
const server = await fixture.start({ defaultLimits: { monitors: 7 } });
const { admin } = clientsOf(server, 'admin');
const { identity: gateway } = clientsOf(server, 'gateway');
afterAll(() => fixture[Symbol.asyncDispose]());

async function newOrganization() {
  const { organization } = await admin.createOrganization({ name: 'Acme', ownerEmail: 'jane@example.com' });
  const organizationId = organization?.id ?? '';
  const { key } = await admin.createApiKey({ organizationId, name: 'deploy', permissions: ['monitors:read'] });
  /** Returns the monitor limit twice: as the gateway receives it, and as a service's token contains it. */
  const seen = async () => {
    const { limits, tokens } = await gateway.exchangeCredential({ secret: key, audiences: ['monitor'] });
    const caller = await createRemoteTokenVerifier(urlOf(server)).verify(tokens.monitor ?? '', 'monitor');
    return [Number(limits.monitors), caller.kind === 'credential' ? caller.limits.monitors : undefined];
  };
  return { organizationId, seen };
}

test('an organization has the configured limit unless the operator sets another one', async () => {
  const { organizationId, seen } = await newOrganization();
  const other = await newOrganization();
  expect(await seen()).toEqual([7, 7]);
  const changed = await admin.setLimit({ organizationId, name: 'monitors', value: 20n });
  expect(changed).toMatchObject({ set: ['monitors'], limits: { monitors: 20n, status_pages: 100n } });
  expect(await seen()).toEqual([20, 20]);
  expect(await other.seen()).toEqual([7, 7]);
  expect(await admin.setLimit({ organizationId, name: 'monitors' })).toMatchObject({
    set: [],
    limits: { monitors: 7n },
  });
  expect(await seen()).toEqual([7, 7]);
});

test.each([
  ['monitors', 0n, undefined],
  ['monitors', 1_000_000_000_000n, undefined],
  ['monitors', 1_000_000_000_001n, 'value'],
  ['monitors', -1n, 'value'],
  ['nonsense', 1n, 'name'],
  ['toString', 1n, 'name'],
])('when the limit %s is set to %s, the field with an error is: %s', async (name, value, wrong) => {
  const { organizationId } = await newOrganization();
  const setting = admin.setLimit({ organizationId, name, value });
  if (wrong === undefined) expect(Number((await setting).limits.monitors)).toBe(Number(value));
  else await expect(setting).rejects.toMatchObject({ kind: 'invalid', fields: { [wrong]: [expect.any(String)] } });
});

test.each(['01920000-0000-7000-8000-000000000000', 'nonsense'])(
  'reading or setting limits of the nonexistent organization %s fails',
  async (organizationId) => {
    await expect(admin.getLimits({ organizationId })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(admin.setLimit({ organizationId, name: 'monitors', value: 1n })).rejects.toMatchObject({
      kind: 'not_found',
    });
  },
);
