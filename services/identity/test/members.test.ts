import { eventually } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser, type Page, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const DAY_MS = 24 * 3_600_000;

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

const admin = () => clientsOf(identity, 'admin').admin;

let organizationId: string;
let path: string;
/** Addresses of users that only the current test uses. */
let jane: string;
let kim: string;
let lee: string;
let tests = 0;
beforeEach(async () => {
  now = START;
  tests += 1;
  [jane, kim, lee] = ['jane', 'kim', 'lee'].map((name) => `${name}.${tests}@example.com`) as [string, string, string];
  organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail: jane })).organization?.id ?? '';
  path = `/account/organizations/${organizationId}/members`;
});

const newBrowser = () => new Browser(identity, `198.51.100.${tests}`);

async function signIn(email: string): Promise<Browser> {
  const browser = newBrowser();
  const { url } = await admin().createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

/** Adds a member on behalf of the operator. Returns the member's id and browser. */
async function addMember(email: string, role: string) {
  const { member } = await admin().addMember({ organizationId, email, role });
  return { id: member?.userId ?? '', browser: await signIn(email) };
}

const roles = async () => {
  const { members } = await admin().listMembers({ organizationId });
  return Object.fromEntries(members.map(({ email, role }) => [email.split('.')[0], role]));
};

const audit = async () => {
  const sql = `select action, actor, details::json as details from audit_log
               where organization_id = $1 and action ~ '^(member|invitation)' order by id`;
  return tables.transaction({ organizationId }, (tx) => tx.query(sql, [organizationId]));
};

const invitationsTo = (email: string) => fixture.sent.filter((mail) => mail.to === email && mail.kind === 'invitation');

async function invite(browser: Browser, email: string, role = 'member'): Promise<string> {
  const before = invitationsTo(email).length;
  expect(await browser.post(`${path}/invite`, { email, role })).toMatchObject({ location: `${path}?done=invited` });
  return eventually(() => {
    expect(invitationsTo(email)).toHaveLength(before + 1);
    return pathOf(invitationsTo(email).at(-1)?.text ?? '');
  });
}

const refusal = (page: Page, text: string) =>
  expect(page).toMatchObject({ status: 422, text: expect.stringContaining(text) });

describe('invitations', () => {
  test('a person without an account becomes a member by pressing the button on the page of an invitation', async () => {
    const owner = await signIn(jane);
    const link = await invite(owner, kim, 'admin');
    expect((await owner.visit(path)).text).toContain(kim);
    const browser = newBrowser();
    const page = await browser.visit(link);
    expect(page.status).toBe(200);
    for (const text of ['Join Acme', jane, 'admin', kim]) expect(page.text).toContain(text);
    expect(await roles()).toEqual({ jane: 'owner' });
    expect(await browser.post(link)).toMatchObject({ status: 303, location: path });
    expect((await browser.visit(path)).status).toBe(200);
    expect(await roles()).toEqual({ jane: 'owner', kim: 'admin' });
    expect(await audit()).toEqual([
      { action: 'member.invited', actor: jane, details: { email: kim, role: 'admin' } },
      { action: 'member.joined', actor: kim, details: { role: 'admin', invited_by: jane } },
    ]);
    // The link works once.
    expect((await newBrowser().visit(link)).status).toBe(410);
    expect((await newBrowser().post(link)).status).toBe(410);
  });

  test('a user with an account must sign in to accept an invitation: the link alone is not enough', async () => {
    await admin().createOrganization({ name: 'Other', ownerEmail: kim });
    const link = await invite(await signIn(jane), kim.toUpperCase());
    const browser = newBrowser();
    const signInPath = `/sign-in?next=${encodeURIComponent(link)}`;
    expect((await browser.visit(link)).text).toContain(`href="${signInPath}"`);
    expect(await browser.post(link)).toMatchObject({ status: 303, location: signInPath });
    expect(await roles()).toEqual({ jane: 'owner' });
    const signedIn = await signIn(kim);
    expect(await signedIn.post(link)).toMatchObject({ status: 303, location: path });
    expect(await roles()).toEqual({ jane: 'owner', kim: 'member' });
  });

  test('an invitation is refused for a user with another address', async () => {
    const link = await invite(await signIn(jane), kim);
    await admin().createOrganization({ name: 'Other', ownerEmail: lee });
    const other = await signIn(lee);
    const text = expect.stringContaining(`This invitation is for ${kim}, but you are signed in as ${lee}`);
    expect(await other.visit(link)).toMatchObject({ status: 200, text });
    expect(await other.post(link)).toMatchObject({ status: 403, text });
    expect(await roles()).toEqual({ jane: 'owner' });
  });

  test('an invitation works for 7 days', async () => {
    const owner = await signIn(jane);
    const [first, second] = [await invite(owner, kim), await invite(owner, lee)];
    now = new Date(START.getTime() + 7 * DAY_MS - 1);
    expect((await newBrowser().post(first)).status).toBe(303);
    now = new Date(START.getTime() + 7 * DAY_MS);
    expect((await newBrowser().visit(second)).status).toBe(410);
    expect((await newBrowser().post(second)).status).toBe(410);
  });

  test('an invitation is replaced by another one for the same address', async () => {
    const owner = await signIn(jane);
    const [first, second] = [await invite(owner, kim), await invite(owner, kim.toUpperCase(), 'admin')];
    expect((await newBrowser().post(first)).status).toBe(410);
    expect((await newBrowser().post(second)).status).toBe(303);
    expect(await roles()).toEqual({ jane: 'owner', kim: 'admin' });
  });

  test('an invitation can be revoked', async () => {
    const owner = await signIn(jane);
    const link = await invite(owner, kim);
    const [, revoke = ''] = /action="([^"]+\/revoke)"/.exec((await owner.visit(path)).text) ?? [];
    expect((await owner.post(revoke)).location).toBe(`${path}?done=revoked`);
    expect((await newBrowser().post(link)).status).toBe(410);
    expect((await audit()).at(-1)).toEqual({ action: 'invitation.revoked', actor: jane, details: { email: kim } });
  });

  test('only owners and admins send invitations, and only owners invite owners', async () => {
    const owner = await signIn(jane);
    const adminUser = await addMember(kim, 'admin');
    const member = await addMember(lee, 'member');
    const post = (browser: Browser, role: string) => browser.post(`${path}/invite`, { email: `x.${kim}`, role });
    refusal(await post(member.browser, 'member'), 'Only owners and admins invite');
    refusal(await post(adminUser.browser, 'owner'), 'Only an owner invites another owner');
    refusal(await post(owner, 'king'), 'Choose a role');
    expect(invitationsTo(`x.${kim}`)).toEqual([]);
    expect((await post(adminUser.browser, 'admin')).status).toBe(303);
    expect((await post(owner, 'owner')).status).toBe(303);
  });

  test('an invitation needs a mail address that no member has', async () => {
    const owner = await signIn(jane);
    refusal(await owner.post(`${path}/invite`, { email: 'kim', role: 'member' }), 'Enter a mail address');
    refusal(await owner.post(`${path}/invite`, { email: jane.toUpperCase(), role: 'member' }), 'is a member already');
  });

  test('an invitation is refused while 50 others are open', async () => {
    const owner = await signIn(jane);
    const post = (i: number) => owner.post(`${path}/invite`, { email: `n${i}.${kim}`, role: 'member' });
    for (let i = 0; i < 50; i += 1) expect((await post(i)).status).toBe(303);
    refusal(await post(50), 'at most 50 open invitations');
    // An open invitation can still be replaced.
    expect((await post(0)).status).toBe(303);
    now = new Date(START.getTime() + 7 * DAY_MS);
    expect((await (await signIn(jane)).post(`${path}/invite`, { email: kim, role: 'member' })).status).toBe(303);
  });

  test('an address gets at most five invitations a day from one organization', async () => {
    const owner = await signIn(jane);
    const post = () => owner.post(`${path}/invite`, { email: kim, role: 'member' });
    for (let i = 0; i < 5; i += 1) expect((await post()).status).toBe(303);
    refusal(await post(), 'Too many invitations');
    // Another organization can still invite the address.
    const { organization } = await admin().createOrganization({ name: 'Other', ownerEmail: lee });
    const others = `/account/organizations/${organization?.id}/members`;
    const invited = await (await signIn(lee)).post(`${others}/invite`, { email: kim, role: 'member' });
    expect(invited.location).toBe(`${others}?done=invited`);
    now = new Date(START.getTime() + DAY_MS);
    expect((await post()).status).toBe(303);
  });
});

test('invitations that a member sent are revoked when the member is removed or loses the permission to send them', async () => {
  const owner = await signIn(jane);
  const second = await addMember(kim, 'owner');
  const links = [
    await invite(second.browser, `a.${lee}`, 'owner'),
    await invite(second.browser, `b.${lee}`, 'admin'),
    await invite(owner, `c.${lee}`, 'owner'),
  ];
  const statuses = () => Promise.all(links.map(async (link) => (await newBrowser().visit(link)).status));
  await owner.post(`${path}/${second.id}/role`, { role: 'admin' });
  expect(await statuses()).toEqual([410, 200, 200]);
  await owner.post(`${path}/${second.id}/remove`);
  expect(await statuses()).toEqual([410, 410, 200]);
  const revoked = (await audit()).filter(({ action }) => action === 'invitation.revoked');
  expect(revoked.map(({ details }) => details)).toEqual([{ email: `a.${lee}` }, { email: `b.${lee}` }]);
});

test('an organization has at most 500 members', async () => {
  const owner = await signIn(jane);
  const [first, second] = [await invite(owner, kim), await invite(owner, lee)];
  const fill = (from: number, to: number) =>
    tables.transaction('every organization', (tx) =>
      tx.query(
        `with filling as (
           insert into app_user (id, email, created_at)
             select gen_random_uuid(), 'n' || n || '.' || $1::text, now() from generate_series($3::int, $4::int) n returning id
         )
         insert into membership (organization_id, user_id, role, created_at)
           select $2::uuid, id, 'member', now() from filling`,
        [kim, organizationId, from, to],
      ),
    );
  await fill(1, 498);
  expect((await newBrowser().post(first)).status).toBe(303);
  expect(Object.keys((await admin().listMembers({ organizationId })).members)).toHaveLength(500);
  const refused = await newBrowser().post(second);
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining('at most 500 members') });
  refusal(await owner.post(`${path}/invite`, { email: `x.${lee}`, role: 'member' }), 'at most 500 members');
  await expect(admin().addMember({ organizationId, email: lee, role: 'member' })).rejects.toMatchObject({
    fields: { members: ['are limited to 500'] },
  });
  // Members can still be changed, and a new member can join after one is removed.
  expect((await admin().addMember({ organizationId, email: kim, role: 'admin' })).member?.role).toBe('admin');
  await admin().removeMember({ organizationId, email: kim });
  expect((await newBrowser().post(second)).status).toBe(303);
});

describe('members', () => {
  test('an owner changes the role of a member', async () => {
    const { id } = await addMember(kim, 'member');
    const owner = await signIn(jane);
    expect((await owner.post(`${path}/${id}/role`, { role: 'admin' })).location).toBe(`${path}?done=role`);
    expect(await roles()).toEqual({ jane: 'owner', kim: 'admin' });
    const details = { email: kim, from: 'member', to: 'admin' };
    expect((await audit()).at(-1)).toEqual({ action: 'member.role_changed', actor: jane, details });
  });

  test('a removed member no longer sees the organization', async () => {
    const { id, browser } = await addMember(kim, 'member');
    const owner = await signIn(jane);
    expect((await browser.visit(path)).status).toBe(200);
    expect((await owner.post(`${path}/${id}/remove`)).location).toBe(`${path}?done=removed`);
    expect((await browser.visit(path)).status).toBe(404);
    expect((await browser.visit('/account')).text).toContain('You are not a member of an organization');
    expect((await audit()).at(-1)).toEqual({
      action: 'member.removed',
      actor: jane,
      details: { email: kim, role: 'member' },
    });
  });

  test("a member may leave, but can't change or remove others", async () => {
    const { id, browser } = await addMember(kim, 'member');
    const other = await addMember(lee, 'member');
    refusal(await browser.post(`${path}/${other.id}/remove`), 'Only owners and admins manage members');
    refusal(await browser.post(`${path}/${id}/role`, { role: 'owner' }), 'Only owners and admins manage members');
    const page = await browser.visit(path);
    expect(page.text).not.toContain('/invite"');
    expect(page.text).not.toContain('/role"');
    expect((await browser.post(`${path}/${id}/remove`)).location).toBe('/account?done=left');
    expect(await roles()).toEqual({ jane: 'owner', lee: 'member' });
  });

  test('the last owner cannot leave or become an admin', async () => {
    const { id: kimId } = await addMember(kim, 'member');
    const owner = await signIn(jane);
    const [janeId = ''] = (await admin().listMembers({ organizationId })).members.map(({ userId }) => userId);
    refusal(await owner.post(`${path}/${janeId}/remove`), 'An organization needs an owner');
    refusal(await owner.post(`${path}/${janeId}/role`, { role: 'admin' }), 'An organization needs an owner');
    await owner.post(`${path}/${kimId}/role`, { role: 'owner' });
    expect((await owner.post(`${path}/${janeId}/remove`)).location).toBe('/account?done=left');
    expect(await roles()).toEqual({ kim: 'owner' });
  });

  test('if the last two owners leave at the same time, one of them stays an owner', async () => {
    const { id, browser } = await addMember(kim, 'owner');
    const owner = await signIn(jane);
    const [first] = (await admin().listMembers({ organizationId })).members;
    const pages = await Promise.all([
      owner.post(`${path}/${first?.userId}/remove`),
      browser.post(`${path}/${id}/remove`),
    ]);
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect(Object.values(await roles())).toEqual(['owner']);
  });

  test("an admin can't change owners", async () => {
    const { browser } = await addMember(kim, 'admin');
    const other = await addMember(lee, 'owner');
    refusal(await browser.post(`${path}/${other.id}/role`, { role: 'member' }), 'Only an owner changes');
    refusal(await browser.post(`${path}/${other.id}/remove`), 'Only an owner changes or removes an owner');
    expect(await roles()).toEqual({ jane: 'owner', kim: 'admin', lee: 'owner' });
  });

  test('a member of another organization gets a 404 for the members page and for every change to members', async () => {
    const { id } = await addMember(kim, 'member');
    await admin().createOrganization({ name: 'Other', ownerEmail: lee });
    const stranger = await signIn(lee);
    const actions = ['', '/invite', `/${id}/role`, `/${id}/remove`, `/invitations/${id}/revoke`];
    for (const action of actions) {
      const page = action === '' ? await stranger.visit(path) : await stranger.post(path + action, { role: 'owner' });
      expect([action, page.status]).toEqual([action, 404]);
    }
    expect((await stranger.visit('/account/organizations/nonsense/members')).status).toBe(404);
    expect(await roles()).toEqual({ jane: 'owner', kim: 'member' });
  });
});

describe('operator', () => {
  test('the operator adds, changes and removes members without an invitation', async () => {
    const added = await admin().addMember({ organizationId, email: kim, role: 'member' });
    expect(added.member).toMatchObject({ email: kim, role: 'member' });
    await admin().addMember({ organizationId, email: kim.toUpperCase(), role: 'owner' });
    expect(await roles()).toEqual({ jane: 'owner', kim: 'owner' });
    await admin().removeMember({ organizationId, email: jane.toUpperCase() });
    expect(await roles()).toEqual({ kim: 'owner' });
    expect((await audit()).map(({ action, actor }) => [action, actor])).toEqual([
      ['member.added', 'service:admin'],
      ['member.role_changed', 'service:admin'],
      ['member.removed', 'service:admin'],
    ]);
    await expect(admin().removeMember({ organizationId, email: kim })).rejects.toMatchObject({
      kind: 'forbidden',
      message: 'An organization needs an owner. Make another member an owner first.',
    });
  });

  test('the operator gets errors that say what is wrong with a change to members', async () => {
    await expect(admin().addMember({ organizationId, email: 'kim', role: 'king' })).rejects.toMatchObject({
      fields: {
        email: ['must be a mail address such as jane@example.com'],
        role: ['must be one of owner, admin, member'],
      },
    });
    const nowhere = '01920000-0000-7000-8000-000000000000';
    for (const organization of [nowhere, 'nonsense']) {
      const missing = { kind: 'not_found', message: 'organization not found' };
      const request = { organizationId: organization, email: kim, role: 'member' };
      await expect(admin().addMember(request)).rejects.toMatchObject(missing);
      await expect(admin().listMembers(request)).rejects.toMatchObject(missing);
    }
    await expect(admin().removeMember({ organizationId, email: kim })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'member not found',
    });
  });
});

test('row security hides the invitations of another organization from a query without a filter', async () => {
  const link = await invite(await signIn(jane), kim);
  expect(link).toMatch(/^\/invitations\/[\w-]{43}$/);
  const other = (await admin().createOrganization({ name: 'Other', ownerEmail: lee })).organization?.id ?? '';
  const seen = (id: string) =>
    tables.transaction({ organizationId: id }, (tx) => tx.query('select distinct organization_id from invitation'));
  expect(await seen(organizationId)).toEqual([{ organization_id: organizationId }]);
  expect(await seen(other)).toEqual([]);
});
