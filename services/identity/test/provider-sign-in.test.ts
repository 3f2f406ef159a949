import { afterAll, describe, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { pathOf } from './browser.ts';
import { isSignedIn, MINUTE_MS, providerFixture, refused, START } from './provider-fixture.ts';
import { BASE_URL } from './start-identity.ts';

const fixture = await providerFixture();
const { admin, clock, newOrganization, provider, query, tables } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

describe('people who sign in at a provider', () => {
  test('a person joins the organization by signing in at its provider, and can sign in there again', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const browser = acme.newBrowser();
    expect(await acme.enter(browser, acme.kim())).toMatchObject({ status: 303, location: '/account?x=1' });
    expect(await isSignedIn(browser)).toBe(true);
    expect(await acme.roleOf(`kim@${acme.domain}`)).toBe('member');
    const again = acme.newBrowser();
    // The subject identifies the user, even if the provider reports another address.
    expect((await acme.enter(again, acme.kim({ email: `kim.new@${acme.domain}` }))).status).toBe(303);
    expect((await again.visit('/account')).text).toContain(`kim@${acme.domain}`);
    const actions = await query(
      `select action, actor, details::json as details from audit_log where organization_id = $1
       and action in ('member.joined', 'user.signed_in', 'provider.changed', 'domain.proven') order by id`,
      acme.id,
    );
    expect(actions.slice(1)).toEqual([
      {
        action: 'provider.changed',
        actor: `owner@${acme.domain}`,
        details: { issuer: provider.issuer, client_id: 'tocsin', role_claim: 'groups', client_secret: 'changed' },
      },
      { action: 'domain.proven', actor: `owner@${acme.domain}`, details: { domain: acme.domain } },
      { action: 'member.joined', actor: `kim@${acme.domain}`, details: { role: 'member', provider: provider.issuer } },
      { action: 'user.signed_in', actor: `kim@${acme.domain}`, details: { with: 'provider' } },
      { action: 'user.signed_in', actor: `kim@${acme.domain}`, details: { with: 'provider' } },
    ]);
  });

  test('a person gets the role in the claim of the provider, even when the claim changes, but never the role of an owner', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await acme.enter(acme.newBrowser(), acme.kim({ groups: ['staff', 'admin'] }));
    expect(await acme.roleOf(`kim@${acme.domain}`)).toBe('admin');
    await acme.enter(acme.newBrowser(), acme.kim({ groups: 'member' }));
    expect(await acme.roleOf(`kim@${acme.domain}`)).toBe('member');
    await acme.enter(acme.newBrowser(), acme.kim({ groups: ['owner'] }));
    expect(await acme.roleOf(`kim@${acme.domain}`)).toBe('member');
    expect((await acme.enter(acme.newBrowser(), { ...acme.ownerClaims(), groups: 'member' })).status).toBe(303);
    expect(await acme.roleOf(`owner@${acme.domain}`)).toBe('owner');
  });

  test('a person with a second factor must enter its code before anything changes', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const email = `kim@${acme.domain}`;
    await admin().addMember({ organizationId: acme.id, email, role: 'member' });
    const code = await acme.addSecondFactor(email);
    const browser = acme.newBrowser();
    const page = await acme.enter(browser, acme.kim({ groups: 'admin' }));
    expect(page.location).toBe('/sign-in/code?next=%2Faccount%3Fx%3D1');
    expect(await isSignedIn(browser)).toBe(false);
    const subjects = () => query('select from provider_subject where organization_id = $1', acme.id);
    expect([await acme.roleOf(email), (await subjects()).length]).toEqual(['member', 0]);
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
    expect([await acme.roleOf(email), (await subjects()).length]).toEqual(['admin', 1]);
  });

  test('a person who was removed before the code was entered is not signed in', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const email = `kim@${acme.domain}`;
    await admin().addMember({ organizationId: acme.id, email, role: 'member' });
    const code = await acme.addSecondFactor(email);
    const browser = acme.newBrowser();
    await acme.enter(browser, acme.kim({ groups: 'admin' }));
    await admin().removeMember({ organizationId: acme.id, email });
    refused(await browser.post('/sign-in/code', { code }), 'took too long');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each<[string, object, string]>([
    ['without a verified address', { email_verified: false }, 'did not confirm your mail address'],
    ['without an address', { email: undefined }, 'did not confirm your mail address'],
    [
      'with an address of another domain',
      { email: 'victim@other.example' },
      'has not proven that it owns other.example',
    ],
  ])('a sign-in of a person %s is refused', async (_, changes, text) => {
    const acme = await newOrganization();
    await acme.setUp();
    const browser = acme.newBrowser();
    refused(await acme.enter(browser, acme.kim(changes)), text);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await query('select from provider_subject where organization_id = $1', acme.id)).toEqual([]);
  });

  test('a person who has an account but is not a member is refused until the person has accepted an invitation', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await admin().createOrganization({ name: 'Other', ownerEmail: `kim@${acme.domain}` });
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'Ask an owner for an invitation');
    await admin().addMember({ organizationId: acme.id, email: `kim@${acme.domain}`, role: 'member' });
    expect((await acme.enter(acme.newBrowser(), acme.kim())).status).toBe(303);
  });

  test('a person who was removed, or whose account now has another address, is refused', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await acme.enter(acme.newBrowser(), acme.kim());
    await query(
      'update app_user set email = $2 where email = $1',
      `kim@${acme.domain}`,
      `kim.${acme.number}@private.example`,
    );
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'is not one of your organization');
    await query(
      'update app_user set email = $2 where email = $1',
      `kim.${acme.number}@private.example`,
      `kim@${acme.domain}`,
    );
    await admin().removeMember({ organizationId: acme.id, email: `kim@${acme.domain}` });
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'Ask an owner for an invitation');
  });

  test('a sign-in at the provider of a stopped organization is refused', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await admin().deleteOrganization({ organizationId: acme.id });
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'The organization is stopped');
  });
});

describe('sign-ins at a provider', () => {
  test('a sign-in at a provider can be completed only once, within ten minutes, and in the browser that began it', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    provider.signIn.user = acme.kim();
    const browser = acme.newBrowser();
    const callback = pathOf(await provider.visit(await acme.begin(browser)));
    refused(await acme.newBrowser().visit(callback), 'took too long');
    expect((await browser.visit(callback)).status).toBe(303);
    refused(await browser.visit(callback), 'took too long');

    const late = pathOf(await provider.visit(await acme.begin(browser)));
    clock.now = new Date(START.getTime() + 10 * MINUTE_MS);
    refused(await browser.visit(late), 'took too long');
  });

  test('a sign-in at a provider is not completed at the callback of another organization', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    provider.signIn.user = acme.kim();
    const browser = acme.newBrowser();
    const callback = pathOf(await provider.visit(await acme.begin(browser)));
    const other = await newOrganization();
    refused(await browser.visit(callback.replace(acme.id, other.id)), 'took too long');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a sign-in at a provider uses a state, a nonce and PKCE', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const { searchParams } = new URL(await acme.begin(acme.newBrowser()));
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'tocsin',
      redirect_uri: `${BASE_URL}/sign-in/organization/${acme.id}/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      login_hint: `x@${acme.domain}`,
      max_age: '900',
    });
  });

  test('a sign-in with the code of another sign-in, which has another verifier and nonce, is refused', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    provider.signIn.user = acme.kim();
    const stolen = new URL(await provider.visit(await acme.begin(acme.newBrowser())));
    const browser = acme.newBrowser();
    const own = new URL(await provider.visit(await acme.begin(browser)));
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    refused(await browser.visit(own.pathname + own.search), 'does not work');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a sign-in at a provider with a wrong client secret is refused', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    await acme.saveProvider({ client_secret: 'another secret' });
    refused(await acme.enter(acme.newBrowser(), acme.kim()), 'does not work');
  });

  test('a sign-in at a provider is refused for a domain without a provider, and after 30 attempts in 15 minutes', async () => {
    const acme = await newOrganization();
    const browser = acme.newBrowser();
    refused(await browser.post('/sign-in/organization', { email: `x@${acme.domain}` }), 'No organization signs people');
    refused(await browser.post('/sign-in/organization', { email: 'x' }), 'Enter your mail address');
    for (let index = 0; index < 29; index += 1) await browser.post('/sign-in/organization', { email: 'x@a.example' });
    refused(await browser.post('/sign-in/organization', { email: 'x@a.example' }), 'too many attempts');
  });

  test('a sign-in that is not completed is stored sealed, and is deleted when it expires', async () => {
    const acme = await newOrganization();
    await acme.setUp();
    const { searchParams } = new URL(await acme.begin(acme.newBrowser()));
    const [row] = await query('select sealed from provider_attempt where organization_id = $1', acme.id);
    for (const secret of ['nonce', 'state']) expect(row?.sealed).not.toContain(searchParams.get(secret));
    const count = async () => (await query('select from provider_attempt where organization_id = $1', acme.id)).length;
    await deleteOld({ database: tables, now: () => new Date(START.getTime() + 10 * MINUTE_MS + 1) });
    expect(await count()).toBe(0);
  });
});
