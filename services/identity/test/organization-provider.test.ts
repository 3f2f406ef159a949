import { eventually } from '@tocsin/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, type Organization, providerFixture, refused, START } from './provider-fixture.ts';
import { CLIENT } from './start-provider.ts';

const fixture = await providerFixture();
const { admin, clock, lookups, newOrganization, provider, query, records } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

describe('providers', () => {
  test.each<[Record<string, string>, string]>([
    [{ issuer: 'ftp://login.example' }, 'must be an https URL'],
    [{ issuer: 'http://login.example' }, 'must be an https URL'],
    [{ issuer: 'https://jane:secret@login.example' }, 'must be an https URL'],
    [{ issuer: 'https://login.example/?a=1' }, 'must be an https URL'],
    [{ client_id: '' }, 'The client id is required'],
    [{ client_secret: '' }, 'Enter the client secret'],
    [{ client_secret: 'x'.repeat(501) }, 'The client secret must be at most 500 characters'],
    [{ role_claim: 'x'.repeat(201) }, 'The name of the claim must be one line'],
  ])('the provider settings %o are refused with the message "%s"', async (changes, text) => {
    const acme = await newOrganization();
    refused(await acme.saveProvider(changes), text);
  });

  test('the client secret of a provider is stored sealed, and must be entered again only for a new issuer or client', async () => {
    const acme = await newOrganization();
    await acme.saveProvider();
    expect((await acme.saveProvider({ client_secret: '', role_claim: '' })).location).toBe(`${acme.settings}?saved`);
    refused(await acme.saveProvider({ client_secret: '', client_id: 'other' }), 'Enter the client secret');
    refused(await acme.saveProvider({ client_secret: '', issuer: 'https://login.example' }), 'Enter the client secret');
    const [row] = await query('select * from organization_provider where organization_id = $1', acme.id);
    expect(row).toMatchObject({ client_id: 'tocsin', role_claim: null });
    expect(JSON.stringify(row)).not.toContain(CLIENT.client_secret);
    expect((await acme.owner.visit(acme.settings)).text).not.toContain(CLIENT.client_secret);
    expect(fixture.logged.join('')).not.toContain(CLIENT.client_secret);
  });

  test('a provider at a private address gets requests only if the operator allows the address', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await query('update organization_provider set issuer = $2 where organization_id = $1', acme.id, 'http://10.0.0.1');
    refused(await acme.newBrowser().post('/sign-in/organization', { email: `x@${acme.domain}` }), 'does not work');
  });

  test('after an owner removes the provider, users can no longer sign in with it', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await acme.owner.post(`${acme.settings}/provider/remove`);
    refused(await acme.newBrowser().post('/sign-in/organization', { email: `x@${acme.domain}` }), 'No organization');
  });

  test('a provider and its domains can be changed only by owners', async () => {
    const acme = await newOrganization();
    const path = await acme.addDomain();
    const email = `admin.${acme.number}@example.com`;
    await admin().addMember({ organizationId: acme.id, email, role: 'admin' });
    const browser = await acme.signIn(email);
    expect((await browser.visit(acme.settings)).text).not.toContain('OpenID');
    for (const form of [`${acme.settings}/provider`, `${acme.settings}/provider/remove`, `${acme.settings}/domains`]) {
      expect((await browser.post(form, { issuer: provider.issuer, ...CLIENT, domain: 'a.example' })).status).toBe(403);
    }
    for (const form of [`${path}/prove`, `${path}/remove`]) expect((await browser.post(form)).status).toBe(403);
    const stranger = await acme.signIn(`owner@${(await newOrganization()).domain}`);
    expect((await stranger.post(`${acme.settings}/domains`, { domain: 'a.example' })).status).toBe(404);
    expect((await stranger.post(`${path}/remove`)).status).toBe(404);
  });

  test('a provider can be changed only after a fresh sign-in', async () => {
    const acme = await newOrganization();
    clock.now = new Date(START.getTime() + 15 * MINUTE_MS);
    refused(await acme.saveProvider(), 'sign in again');
  });

  test('after the issuer was changed, domains must be proven again with a new record, and owners get an email', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const proof = () => query('select proof, proven_at from organization_domain where organization_id = $1', acme.id);
    const [before] = await proof();
    expect((await acme.saveProvider({ role_claim: 'roles' })).location).toBe(`${acme.settings}?saved`);
    expect(await proof()).toEqual([before]);
    await query(
      `update organization_provider set issuer = 'https://other.example' where organization_id = $1`,
      acme.id,
    );
    expect((await acme.saveProvider()).location).toBe(`${acme.settings}?saved`);
    const [after] = await proof();
    expect(after?.proven_at).toBeNull();
    expect(after?.proof).not.toBe(before?.proof);
    expect(
      (await acme.newBrowser().post('/sign-in/organization', { email: `kim@${acme.domain}`, next: '/' })).status,
    ).toBe(422);
    await eventually(() =>
      expect(fixture.sent.filter(({ to }) => to === `owner@${acme.domain}`).map(({ kind }) => kind)).toContain(
        'organizationNotice',
      ),
    );
  });
});

describe('domains', () => {
  test('a domain is not used for sign-ins if it is not proven, or if its record is missing a day after the proof', async () => {
    const acme = await newOrganization();
    await acme.saveProvider();
    const path = await acme.addDomain(acme.domain, false);
    refused(await acme.owner.post(`${path}/prove`), 'was not found');
    refused(await acme.newBrowser().post('/sign-in/organization', { email: `x@${acme.domain}` }), 'No organization');
    await acme.owner.post(`${path}/remove`);
    await acme.addDomain();
    expect((await acme.enter(acme.newBrowser(), acme.kim())).status).toBe(303);
    records.delete(`_tocsin-sign-in.${acme.domain}`);
    clock.now = new Date(START.getTime() + DAY_MS - 1);
    expect((await acme.enter(acme.newBrowser(), acme.kim())).status).toBe(303);
    clock.now = new Date(START.getTime() + DAY_MS);
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'has not proven');
    refused(await acme.newBrowser().post('/sign-in/organization', { email: `x@${acme.domain}` }), 'No organization');
  });

  test('a domain belongs to the organization that proved it last', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const other = await newOrganization();
    await other.saveProvider();
    await other.addDomain(acme.domain);
    const proven = await query(
      'select organization_id from organization_domain where domain = $1 and proven_at is not null',
      acme.domain,
    );
    expect(proven).toEqual([{ organization_id: other.id }]);
    // Users of the organization that proved the domain earlier are not members of the organization that has it now.
    await admin().addMember({ organizationId: acme.id, email: `kim@${acme.domain}`, role: 'owner' });
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'Ask an owner for an invitation');
  });

  test.each(['', 'example', 'https://example.com', 'a b.example'])('a domain such as "%s" is refused', async (text) => {
    const acme = await newOrganization();
    refused(await acme.owner.post(`${acme.settings}/domains`, { domain: text }), 'Enter a domain');
  });

  test('an organization can request at most 30 lookups of domain records an hour', async () => {
    const acme = await newOrganization();
    await acme.saveProvider();
    const path = await acme.addDomain(acme.domain, false);
    for (let index = 0; index < 30; index += 1) refused(await acme.owner.post(`${path}/prove`), 'was not found');
    const looked = lookups.count;
    refused(await acme.owner.post(`${path}/prove`), 'looked for too often');
    expect(lookups.count).toBe(looked);
  });

  test('an organization can add at most 20 domains', async () => {
    const acme = await newOrganization();
    for (let index = 0; index < 20; index += 1) await acme.addDomain(`${index}.${acme.domain}`, false);
    refused(await acme.owner.post(`${acme.settings}/domains`, { domain: `more.${acme.domain}` }), 'at most 20 domains');
  });
});

describe('protected changes', () => {
  type Change = (acme: Organization, domainPath: string) => [form: string, fields?: Record<string, string>];
  const changes: [string, Change][] = [
    ['removing the provider', ({ settings }) => [`${settings}/provider/remove`]],
    ['enforcing the provider', ({ settings }) => [`${settings}/provider/enforce`, { enforced: 'true' }]],
    ['removing a domain', (_, domainPath) => [`${domainPath}/remove`]],
    ['exporting', ({ settings }) => [`${settings}/export`]],
    ['deleting', ({ settings, number }) => [`${settings}/delete`, { name: `Acme ${number}` }]],
  ];

  test.each(changes)('a sign-in less than 15 minutes ago is needed for %s', async (_, change) => {
    const acme = await newOrganization();
    await acme.saveProvider();
    const [form, fields] = change(acme, await acme.addDomain());
    clock.now = new Date(START.getTime() + 15 * MINUTE_MS);
    refused(await acme.owner.post(form, fields), 'sign in again');
  });

  test.each(changes)('a recent sign-in at the provider, not only a session, is needed for %s', async (_, change) => {
    const acme = await newOrganization();
    await acme.saveProvider();
    const [form, fields] = change(acme, await acme.addDomain());
    acme.owner = acme.newBrowser();
    provider.signIn.secondsAgo = 3_600;
    try {
      expect((await acme.enter(acme.owner, acme.ownerClaims())).status).toBe(303);
    } finally {
      provider.signIn.secondsAgo = 0;
    }
    refused(await acme.owner.post(form, fields), 'sign in again');
    acme.owner = acme.newBrowser();
    expect((await acme.enter(acme.owner, acme.ownerClaims())).status).toBe(303);
    expect((await acme.owner.post(form, fields)).status).toBeLessThan(400);
  });
});
