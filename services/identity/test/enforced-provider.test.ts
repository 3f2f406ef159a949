import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { type Browser, type Page, pathOf } from './browser.ts';
import { isSignedIn, type Organization, providerFixture, refused } from './provider-fixture.ts';

const fixture = await providerFixture();
const { admin, newOrganization, query } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const enforce = (acme: Organization, isEnforced = true) =>
  acme.owner.post(`${acme.settings}/provider/enforce`, { enforced: String(isEnforced) });

async function setUpEnforced(acme: Organization): Promise<void> {
  await acme.setUp();
  acme.owner = acme.newBrowser();
  await acme.enter(acme.owner, acme.ownerClaims());
  expect((await enforce(acme)).location).toBe(`${acme.settings}?saved`);
}

/**
 * Requests a sign-in link for a user, and submits the form of the link. Returns the browser and the resulting page.
 */
async function followLink(acme: Organization, email: string): Promise<{ browser: Browser; page: Page }> {
  const browser = acme.newBrowser();
  const before = fixture.sent.length;
  await browser.post('/sign-in', { email, by: 'link' });
  const mail = await eventually(() => {
    const found = fixture.sent.slice(before).find(({ kind, to }) => kind === 'signIn' && to === email);
    if (!found) throw new Error('no link was sent');
    return found;
  });
  return { browser, page: await browser.post(pathOf(mail.text)) };
}

test('an enforced provider is the only way to sign in for members with an address in its domains', async () => {
  const acme = await newOrganization();
  await setUpEnforced(acme);
  const email = `kim@${acme.domain}`;
  const browser = acme.newBrowser();
  expect((await acme.enter(browser, acme.kim())).status).toBe(303);
  refused((await followLink(acme, email)).page, 'only with its own sign-in');
  expect((await acme.enter(acme.newBrowser(), acme.kim())).status).toBe(303);
});

test('an enforced provider affects neither members with other addresses nor users who are not members', async () => {
  const acme = await newOrganization();
  await setUpEnforced(acme);
  const [guest, stranger] = [`guest.${acme.number}@other.example`, `stranger@${acme.domain}`];
  await admin().addMember({ organizationId: acme.id, email: guest, role: 'member' });
  await admin().createOrganization({ name: 'Other', ownerEmail: stranger });
  for (const email of [guest, stranger]) {
    const { browser, page } = await followLink(acme, email);
    expect(page.status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
  }
});

test('enforcing a provider ends the sessions that members began elsewhere', async () => {
  const acme = await newOrganization();
  await acme.setUp();
  const email = `kim@${acme.domain}`;
  await admin().addMember({ organizationId: acme.id, email, role: 'member' });
  const [elsewhere, there] = [await acme.signIn(email), acme.newBrowser()];
  await acme.enter(there, acme.kim());
  acme.owner = acme.newBrowser();
  await acme.enter(acme.owner, acme.ownerClaims());
  await enforce(acme);
  expect([await isSignedIn(elsewhere), await isSignedIn(there), await isSignedIn(acme.owner)]).toEqual([
    false,
    true,
    true,
  ]);
});

test('despite an enforced provider, an owner can sign in with a recovery code, and everybody with a link from the operator', async () => {
  const acme = await newOrganization();
  await setUpEnforced(acme);
  const email = `owner@${acme.domain}`;
  refused((await followLink(acme, email)).page, 'only with its own sign-in');
  const code = await acme.addSecondFactor(email);
  const { browser, page } = await followLink(acme, email);
  expect(page.location).toContain('/sign-in/code');
  refused(await browser.post('/sign-in/code', { code: '123456' }), 'wrong');
  expect((await browser.post('/sign-in/code', { code })).status).toBe(303);
  expect(await isSignedIn(browser)).toBe(true);
  await acme.enter(acme.newBrowser(), acme.kim());
  expect(await isSignedIn(await acme.signIn(`kim@${acme.domain}`))).toBe(true);
});

test('a provider can be enforced only by an owner who signed in there', async () => {
  const acme = await newOrganization();
  refused(await enforce(acme), 'There is no provider');
  await acme.setUp();
  refused(await enforce(acme), 'Sign in with your organization first');
});

test('an owner can stop enforcing a provider', async () => {
  const acme = await newOrganization();
  await setUpEnforced(acme);
  await acme.enter(acme.newBrowser(), acme.kim());
  expect((await enforce(acme, false)).location).toBe(`${acme.settings}?saved`);
  expect((await followLink(acme, `kim@${acme.domain}`)).page.status).toBe(303);
  const actions = await query(
    `select action from audit_log where organization_id = $1 and action like 'provider.%enforced' order by id`,
    acme.id,
  );
  expect(actions.map(({ action }) => action)).toEqual(['provider.enforced', 'provider.not_enforced']);
});

test("members with an enforced provider can't change their address", async () => {
  const acme = await newOrganization();
  await setUpEnforced(acme);
  const browser = acme.newBrowser();
  await acme.enter(browser, acme.kim());
  const change = await browser.post('/account/email', { email: `kim.${acme.number}@private.example` });
  refused(change, 'which needs the present address');
});
