import { createHash } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import type { Dns, Exports } from '../src/app/ports.ts';
import { Browser, type Page, pathOf } from './browser.ts';
import { BASE_URL, clientsOf, identityFixture } from './start-identity.ts';
import { CLIENT, startProvider } from './start-provider.ts';

const START = new Date();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** TXT records by name. */
const records = new Map<string, string>();
let lookups = 0;
const dns: Dns = {
  texts: async (name) => {
    lookups += 1;
    return [records.get(name)].filter((value) => value !== undefined);
  },
};

let now = START;
const fixture = await identityFixture();
const exports: Exports = { listRows: async () => ({ rows: [], next: undefined }) };
const identity = await fixture.start({ now: () => now, dns, exports });
const tables = await fixture.openTables();
const provider = await startProvider();
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

/** Returns a client with a new token, because the test's clock moves. */
const admin = () => clientsOf(identity, 'admin').admin;
const query = (sql: string, ...values: unknown[]) =>
  tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));

// All organizations are created here, because the provider must have their redirect URIs before the first request.
const organizations: { id: string; owner: string; domain: string }[] = [];
for (let index = 0; index < 70; index += 1) {
  const domain = `d${index}.example`;
  const owner = `owner@${domain}`;
  const { organization } = await admin().createOrganization({ name: `Acme ${index}`, ownerEmail: owner });
  organizations.push({ id: organization?.id ?? '', owner, domain });
  provider.addRedirectUri(`${BASE_URL}/sign-in/organization/${organization?.id}/callback`);
}

let tests = 0;
let organizationId: string;
let domain: string;
let owner: Browser;
let settings: string;
beforeEach(async () => {
  now = START;
  tests += 1;
  const next = nextOrganization();
  organizationId = next.id;
  domain = next.domain;
  owner = await signIn(next.owner);
  settings = `/account/organizations/${organizationId}/settings`;
});

function nextOrganization() {
  const next = organizations.pop();
  if (!next) throw new Error('the tests need more organizations');
  return next;
}

const newBrowser = () => new Browser(identity, `198.51.100.${tests}`);

async function signIn(email: string): Promise<Browser> {
  const browser = newBrowser();
  const { url } = await admin().createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

const saveProvider = (changes: Record<string, string> = {}) =>
  owner.post(`${settings}/provider`, { issuer: provider.issuer, ...CLIENT, role_claim: 'groups', ...changes });

/**
 * Adds a domain. If `isProven`, also adds the TXT record and proves the domain. Returns the path of the domain's forms.
 */
async function addDomain(name = domain, isProven = true): Promise<string> {
  expect((await owner.post(`${settings}/domains`, { domain: name })).location).toBe(`${settings}?saved`);
  const [row] = await query(
    'select id, proof from organization_domain where organization_id = $1 and domain = $2',
    organizationId,
    name,
  );
  const path = `${settings}/domains/${row?.id}`;
  if (!isProven) return path;
  records.set(`_tocsin-sign-in.${name}`, String(row?.proof));
  expect((await owner.post(`${path}/prove`)).location).toBe(`${settings}?saved`);
  return path;
}

async function setUp(): Promise<void> {
  expect((await saveProvider()).location).toBe(`${settings}?saved`);
  await addDomain();
}

/** Begins to sign in, and returns the URL of the provider. */
async function begin(browser: Browser, email: string, next = '/account?x=1'): Promise<string> {
  const page = await browser.post('/sign-in/organization', { email, next });
  expect(page.status, page.text).toBe(200);
  return (page.headers.get('refresh') ?? '').replace('0; url=', '');
}

/** Signs in at the provider with these claims, and returns the response to the callback. */
async function enter(browser: Browser, user: { sub: string; [claim: string]: unknown }, email = `x@${domain}`) {
  const url = await begin(browser, email);
  provider.signIn.user = user;
  return browser.visit(pathOf(await provider.visit(url)));
}

const kim = (changes: object = {}) => ({
  sub: `kim-${tests}`,
  email: `kim@${domain}`,
  email_verified: true,
  ...changes,
});
const roleOf = async (email: string) => {
  const { members } = await admin().listMembers({ organizationId });
  return members.find((member) => member.email === email)?.role;
};
const isSignedIn = async (browser: Browser) => (await browser.visit('/account')).status === 200;
const refused = (page: Page, text: string) =>
  expect(page).toMatchObject({ status: 422, text: expect.stringContaining(text) });

test('after the issuer was changed, domains must be proven again with a new record, and owners get an email', async () => {
  await setUp();
  const proof = () =>
    query('select proof, proven_at from organization_domain where organization_id = $1', organizationId);
  const [before] = await proof();
  expect((await saveProvider({ role_claim: 'roles' })).location).toBe(`${settings}?saved`);
  expect(await proof()).toEqual([before]);
  await query(
    `update organization_provider set issuer = 'https://other.example' where organization_id = $1`,
    organizationId,
  );
  expect((await saveProvider()).location).toBe(`${settings}?saved`);
  const [after] = await proof();
  expect(after?.proven_at).toBeNull();
  expect(after?.proof).not.toBe(before?.proof);
  expect((await newBrowser().post('/sign-in/organization', { email: `kim@${domain}`, next: '/' })).status).toBe(422);
  await eventually(() =>
    expect(fixture.sent.filter(({ to }) => to === `owner@${domain}`).map(({ kind }) => kind)).toContain(
      'organizationNotice',
    ),
  );
});

/** Gives a user a second factor. Returns a recovery code. */
async function addSecondFactor(email: string): Promise<string> {
  await query(
    `insert into user_totp (user_id, sealed_secret, created_at, enabled_at, last_step)
     select id, '', now(), now(), 0 from app_user where email = $1`,
    email,
  );
  const code = `RECOVERY${tests}`;
  const hash = createHash('sha256').update(code).digest();
  await query('insert into recovery_code select id, $2 from app_user where email = $1', email, hash);
  return code;
}

const ownerClaims = () => ({ sub: `owner-${tests}`, email: `owner@${domain}`, email_verified: true });

describe('protected changes', () => {
  const changes: [string, (domainPath: string) => [string, Record<string, string>]][] = [
    ['removing the provider', () => [`${settings}/provider/remove`, {}]],
    ['enforcing the provider', () => [`${settings}/provider/enforce`, { enforced: 'true' }]],
    ['removing a domain', (domainPath) => [`${domainPath}/remove`, {}]],
    ['exporting', () => [`${settings}/export`, {}]],
    ['deleting', () => [`${settings}/delete`, { name: `Acme ${domain.slice(1).split('.')[0]}` }]],
  ];

  test.each(changes)('a sign-in less than 15 minutes ago is needed for %s', async (_, change) => {
    await saveProvider();
    const [form, fields] = change(await addDomain());
    now = new Date(START.getTime() + 15 * MINUTE_MS);
    refused(await owner.post(form, fields), 'sign in again');
  });

  test.each(changes)('a recent sign-in at the provider, not only a session, is needed for %s', async (_, change) => {
    await saveProvider();
    const [form, fields] = change(await addDomain());
    owner = newBrowser();
    provider.signIn.secondsAgo = 3_600;
    try {
      expect((await enter(owner, ownerClaims())).status).toBe(303);
    } finally {
      provider.signIn.secondsAgo = 0;
    }
    refused(await owner.post(form, fields), 'sign in again');
    owner = newBrowser();
    expect((await enter(owner, ownerClaims())).status).toBe(303);
    expect((await owner.post(form, fields)).status).toBeLessThan(400);
  });
});

describe('enforced providers', () => {
  const enforce = (isEnforced = true) => owner.post(`${settings}/provider/enforce`, { enforced: String(isEnforced) });

  async function setUpEnforced(): Promise<void> {
    await setUp();
    owner = newBrowser();
    await enter(owner, ownerClaims());
    expect((await enforce()).location).toBe(`${settings}?saved`);
  }

  /**
   * Requests a sign-in link for a user, and submits the form of the link. Returns the browser and the resulting page.
   */
  async function followLink(email: string): Promise<{ browser: Browser; page: Page }> {
    const browser = newBrowser();
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
    await setUpEnforced();
    const email = `kim@${domain}`;
    const browser = newBrowser();
    expect((await enter(browser, kim())).status).toBe(303);
    refused((await followLink(email)).page, 'only with its own sign-in');
    expect((await enter(newBrowser(), kim())).status).toBe(303);
  });

  test('an enforced provider affects neither members with other addresses nor users who are not members', async () => {
    await setUpEnforced();
    const [guest, stranger] = [`guest.${tests}@other.example`, `stranger@${domain}`];
    await admin().addMember({ organizationId, email: guest, role: 'member' });
    await admin().createOrganization({ name: 'Other', ownerEmail: stranger });
    for (const email of [guest, stranger]) {
      const { browser, page } = await followLink(email);
      expect(page.status).toBe(303);
      expect(await isSignedIn(browser)).toBe(true);
    }
  });

  test('enforcing a provider ends the sessions that members began elsewhere', async () => {
    await setUp();
    const email = `kim@${domain}`;
    await admin().addMember({ organizationId, email, role: 'member' });
    const [elsewhere, there] = [await signIn(email), newBrowser()];
    await enter(there, kim());
    owner = newBrowser();
    await enter(owner, ownerClaims());
    await enforce();
    expect([await isSignedIn(elsewhere), await isSignedIn(there), await isSignedIn(owner)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('despite an enforced provider, an owner can sign in with a recovery code, and everybody with a link from the operator', async () => {
    await setUpEnforced();
    const email = `owner@${domain}`;
    refused((await followLink(email)).page, 'only with its own sign-in');
    const code = await addSecondFactor(email);
    const { browser, page } = await followLink(email);
    expect(page.location).toContain('/sign-in/code');
    refused(await browser.post('/sign-in/code', { code: '123456' }), 'wrong');
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
    await enter(newBrowser(), kim());
    expect(await isSignedIn(await signIn(`kim@${domain}`))).toBe(true);
  });

  test('a provider can be enforced only by an owner who signed in there', async () => {
    refused(await enforce(), 'There is no provider');
    await setUp();
    refused(await enforce(), 'Sign in with your organization first');
  });

  test('an owner can stop enforcing a provider', async () => {
    await setUpEnforced();
    await enter(newBrowser(), kim());
    expect((await enforce(false)).location).toBe(`${settings}?saved`);
    expect((await followLink(`kim@${domain}`)).page.status).toBe(303);
    const actions = await query(
      `select action from audit_log where organization_id = $1 and action like 'provider.%enforced' order by id`,
      organizationId,
    );
    expect(actions.map(({ action }) => action)).toEqual(['provider.enforced', 'provider.not_enforced']);
  });

  test("members with an enforced provider can't change their address", async () => {
    await setUpEnforced();
    const browser = newBrowser();
    await enter(browser, kim());
    const change = await browser.post('/account/email', { email: `kim.${tests}@private.example` });
    refused(change, 'which needs the present address');
  });
});

describe('people who sign in at a provider', () => {
  test('a person joins the organization by signing in at its provider, and can sign in there again', async () => {
    await setUp();
    const browser = newBrowser();
    expect(await enter(browser, kim())).toMatchObject({ status: 303, location: '/account?x=1' });
    expect(await isSignedIn(browser)).toBe(true);
    expect(await roleOf(`kim@${domain}`)).toBe('member');
    const again = newBrowser();
    // The subject identifies the user, even if the provider reports another address.
    expect((await enter(again, kim({ email: `kim.new@${domain}` }))).status).toBe(303);
    expect((await again.visit('/account')).text).toContain(`kim@${domain}`);
    const actions = await query(
      `select action, actor, details::json as details from audit_log where organization_id = $1
       and action in ('member.joined', 'user.signed_in', 'provider.changed', 'domain.proven') order by id`,
      organizationId,
    );
    expect(actions.slice(1)).toEqual([
      {
        action: 'provider.changed',
        actor: `owner@${domain}`,
        details: { issuer: provider.issuer, client_id: 'tocsin', role_claim: 'groups', client_secret: 'changed' },
      },
      { action: 'domain.proven', actor: `owner@${domain}`, details: { domain } },
      { action: 'member.joined', actor: `kim@${domain}`, details: { role: 'member', provider: provider.issuer } },
      { action: 'user.signed_in', actor: `kim@${domain}`, details: { with: 'provider' } },
      { action: 'user.signed_in', actor: `kim@${domain}`, details: { with: 'provider' } },
    ]);
  });

  test('a person gets the role in the claim of the provider, even when the claim changes, but never the role of an owner', async () => {
    await setUp();
    await enter(newBrowser(), kim({ groups: ['staff', 'admin'] }));
    expect(await roleOf(`kim@${domain}`)).toBe('admin');
    await enter(newBrowser(), kim({ groups: 'member' }));
    expect(await roleOf(`kim@${domain}`)).toBe('member');
    await enter(newBrowser(), kim({ groups: ['owner'] }));
    expect(await roleOf(`kim@${domain}`)).toBe('member');
    expect((await enter(newBrowser(), { ...ownerClaims(), groups: 'member' })).status).toBe(303);
    expect(await roleOf(`owner@${domain}`)).toBe('owner');
  });

  test('a person with a second factor must enter its code before anything changes', async () => {
    await setUp();
    const email = `kim@${domain}`;
    await admin().addMember({ organizationId, email, role: 'member' });
    const code = await addSecondFactor(email);
    const browser = newBrowser();
    const page = await enter(browser, kim({ groups: 'admin' }));
    expect(page.location).toBe('/sign-in/code?next=%2Faccount%3Fx%3D1');
    expect(await isSignedIn(browser)).toBe(false);
    const subjects = () => query('select from provider_subject where organization_id = $1', organizationId);
    expect([await roleOf(email), (await subjects()).length]).toEqual(['member', 0]);
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
    expect([await roleOf(email), (await subjects()).length]).toEqual(['admin', 1]);
  });

  test('a person who was removed before the code was entered is not signed in', async () => {
    await setUp();
    const email = `kim@${domain}`;
    await admin().addMember({ organizationId, email, role: 'member' });
    const code = await addSecondFactor(email);
    const browser = newBrowser();
    await enter(browser, kim({ groups: 'admin' }));
    await admin().removeMember({ organizationId, email });
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
    await setUp();
    const browser = newBrowser();
    refused(await enter(browser, kim(changes)), text);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await query('select from provider_subject where organization_id = $1', organizationId)).toEqual([]);
  });

  test('a person who has an account but is not a member is refused until the person has accepted an invitation', async () => {
    await setUp();
    await admin().createOrganization({ name: 'Other', ownerEmail: `kim@${domain}` });
    refused(await enter(newBrowser(), kim()), 'Ask an owner for an invitation');
    await admin().addMember({ organizationId, email: `kim@${domain}`, role: 'member' });
    expect((await enter(newBrowser(), kim())).status).toBe(303);
  });

  test('a person who was removed, or whose account now has another address, is refused', async () => {
    await setUp();
    await enter(newBrowser(), kim());
    await query('update app_user set email = $2 where email = $1', `kim@${domain}`, `kim.${tests}@private.example`);
    refused(await enter(newBrowser(), kim()), 'is not one of your organization');
    await query('update app_user set email = $2 where email = $1', `kim.${tests}@private.example`, `kim@${domain}`);
    await admin().removeMember({ organizationId, email: `kim@${domain}` });
    refused(await enter(newBrowser(), kim()), 'Ask an owner for an invitation');
  });

  test('a sign-in at the provider of a stopped organization is refused', async () => {
    await setUp();
    await admin().deleteOrganization({ organizationId });
    refused(await enter(newBrowser(), kim()), 'The organization is stopped');
  });
});

describe('sign-ins at a provider', () => {
  test('a sign-in at a provider can be completed only once, within ten minutes, and in the browser that began it', async () => {
    await setUp();
    provider.signIn.user = kim();
    const browser = newBrowser();
    const callback = pathOf(await provider.visit(await begin(browser, `x@${domain}`)));
    refused(await newBrowser().visit(callback), 'took too long');
    expect((await browser.visit(callback)).status).toBe(303);
    refused(await browser.visit(callback), 'took too long');

    const late = pathOf(await provider.visit(await begin(browser, `x@${domain}`)));
    now = new Date(START.getTime() + 10 * MINUTE_MS);
    refused(await browser.visit(late), 'took too long');
  });

  test('a sign-in at a provider is not completed at the callback of another organization', async () => {
    await setUp();
    provider.signIn.user = kim();
    const browser = newBrowser();
    const callback = pathOf(await provider.visit(await begin(browser, `x@${domain}`)));
    const other = nextOrganization();
    refused(await browser.visit(callback.replace(organizationId, other.id)), 'took too long');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a sign-in at a provider uses a state, a nonce and PKCE', async () => {
    await setUp();
    const { searchParams } = new URL(await begin(newBrowser(), `x@${domain}`));
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'tocsin',
      redirect_uri: `${BASE_URL}/sign-in/organization/${organizationId}/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      login_hint: `x@${domain}`,
      max_age: '900',
    });
  });

  test('a sign-in with the code of another sign-in, which has another verifier and nonce, is refused', async () => {
    await setUp();
    provider.signIn.user = kim();
    const stolen = new URL(await provider.visit(await begin(newBrowser(), `x@${domain}`)));
    const browser = newBrowser();
    const own = new URL(await provider.visit(await begin(browser, `x@${domain}`)));
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    refused(await browser.visit(own.pathname + own.search), 'does not work');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a sign-in at a provider with a wrong client secret is refused', async () => {
    await setUp();
    await saveProvider({ client_secret: 'another secret' });
    refused(await enter(newBrowser(), kim()), 'does not work');
  });

  test('a sign-in at a provider is refused for a domain without a provider, and after 30 attempts in 15 minutes', async () => {
    const browser = newBrowser();
    refused(await browser.post('/sign-in/organization', { email: `x@${domain}` }), 'No organization signs people');
    refused(await browser.post('/sign-in/organization', { email: 'x' }), 'Enter your mail address');
    for (let index = 0; index < 29; index += 1) await browser.post('/sign-in/organization', { email: 'x@a.example' });
    refused(await browser.post('/sign-in/organization', { email: 'x@a.example' }), 'too many attempts');
  });

  test('a sign-in that is not completed is stored sealed, and is deleted when it expires', async () => {
    await setUp();
    const { searchParams } = new URL(await begin(newBrowser(), `x@${domain}`));
    const [row] = await query('select sealed from provider_attempt where organization_id = $1', organizationId);
    for (const secret of ['nonce', 'state']) expect(row?.sealed).not.toContain(searchParams.get(secret));
    const count = async () =>
      (await query('select from provider_attempt where organization_id = $1', organizationId)).length;
    await deleteOld({ database: tables, now: () => new Date(START.getTime() + 10 * MINUTE_MS + 1) });
    expect(await count()).toBe(0);
  });
});

describe('domains', () => {
  test('a domain is not used for sign-ins if it is not proven, or if its record is missing a day after the proof', async () => {
    await saveProvider();
    const path = await addDomain(domain, false);
    refused(await owner.post(`${path}/prove`), 'was not found');
    refused(await newBrowser().post('/sign-in/organization', { email: `x@${domain}` }), 'No organization');
    await owner.post(`${path}/remove`);
    await addDomain();
    expect((await enter(newBrowser(), kim())).status).toBe(303);
    records.delete(`_tocsin-sign-in.${domain}`);
    now = new Date(START.getTime() + DAY_MS - 1);
    expect((await enter(newBrowser(), kim())).status).toBe(303);
    now = new Date(START.getTime() + DAY_MS);
    refused(await enter(newBrowser(), kim()), 'has not proven');
    refused(await newBrowser().post('/sign-in/organization', { email: `x@${domain}` }), 'No organization');
  });

  test('a domain belongs to the organization that proved it last', async () => {
    await setUp();
    const before = organizationId;
    const other = nextOrganization();
    organizationId = other.id;
    settings = `/account/organizations/${organizationId}/settings`;
    owner = await signIn(other.owner);
    await saveProvider();
    await addDomain(domain);
    const proven = await query(
      'select organization_id from organization_domain where domain = $1 and proven_at is not null',
      domain,
    );
    expect(proven).toEqual([{ organization_id: organizationId }]);
    expect(before).not.toBe(organizationId);
    // Users of the organization that proved the domain earlier are not members of the organization that has it now.
    await admin().addMember({ organizationId: before, email: `kim@${domain}`, role: 'owner' });
    refused(await enter(newBrowser(), kim()), 'Ask an owner for an invitation');
  });

  test.each(['', 'example', 'https://example.com', 'a b.example'])('a domain such as "%s" is refused', async (text) => {
    refused(await owner.post(`${settings}/domains`, { domain: text }), 'Enter a domain');
  });

  test('an organization can request at most 30 lookups of domain records an hour', async () => {
    await saveProvider();
    const path = await addDomain(domain, false);
    for (let index = 0; index < 30; index += 1) refused(await owner.post(`${path}/prove`), 'was not found');
    const looked = lookups;
    refused(await owner.post(`${path}/prove`), 'looked for too often');
    expect(lookups).toBe(looked);
  });

  test('an organization can add at most 20 domains', async () => {
    for (let index = 0; index < 20; index += 1) await addDomain(`${index}.${domain}`, false);
    refused(await owner.post(`${settings}/domains`, { domain: `more.${domain}` }), 'at most 20 domains');
  });
});

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
    refused(await saveProvider(changes), text);
  });

  test('the client secret of a provider is stored sealed, and must be entered again only for a new issuer or client', async () => {
    await saveProvider();
    expect((await saveProvider({ client_secret: '', role_claim: '' })).location).toBe(`${settings}?saved`);
    refused(await saveProvider({ client_secret: '', client_id: 'other' }), 'Enter the client secret');
    refused(await saveProvider({ client_secret: '', issuer: 'https://login.example' }), 'Enter the client secret');
    const [row] = await query('select * from organization_provider where organization_id = $1', organizationId);
    expect(row).toMatchObject({ client_id: 'tocsin', role_claim: null });
    expect(JSON.stringify(row)).not.toContain(CLIENT.client_secret);
    expect((await owner.visit(settings)).text).not.toContain(CLIENT.client_secret);
    expect(fixture.logged.join('')).not.toContain(CLIENT.client_secret);
  });

  test('a provider at a private address gets requests only if the operator allows the address', async () => {
    await setUp();
    await query(
      'update organization_provider set issuer = $2 where organization_id = $1',
      organizationId,
      'http://10.0.0.1',
    );
    refused(await newBrowser().post('/sign-in/organization', { email: `x@${domain}` }), 'does not work');
  });

  test('after an owner removes the provider, users can no longer sign in with it', async () => {
    await setUp();
    await owner.post(`${settings}/provider/remove`);
    refused(await newBrowser().post('/sign-in/organization', { email: `x@${domain}` }), 'No organization');
  });

  test('a provider and its domains can be changed only by owners', async () => {
    const path = await addDomain();
    const email = `admin.${tests}@example.com`;
    await admin().addMember({ organizationId, email, role: 'admin' });
    const browser = await signIn(email);
    expect((await browser.visit(settings)).text).not.toContain('OpenID');
    for (const form of [`${settings}/provider`, `${settings}/provider/remove`, `${settings}/domains`]) {
      expect((await browser.post(form, { issuer: provider.issuer, ...CLIENT, domain: 'a.example' })).status).toBe(403);
    }
    for (const form of [`${path}/prove`, `${path}/remove`]) expect((await browser.post(form)).status).toBe(403);
    const stranger = await signIn(nextOrganization().owner);
    expect((await stranger.post(`${settings}/domains`, { domain: 'a.example' })).status).toBe(404);
    expect((await stranger.post(`${path}/remove`)).status).toBe(404);
  });

  test('a provider can be changed only after a fresh sign-in', async () => {
    now = new Date(START.getTime() + 15 * MINUTE_MS);
    refused(await saveProvider(), 'sign in again');
  });
});
