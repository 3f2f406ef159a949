import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import type { Browser } from './browser.ts';
import { oauthFixture, type Tokens } from './oauth-fixture.ts';
import { clientsOf } from './start-identity.ts';

const oauth = await oauthFixture();
const { identity, organizationId, jane, query, fixture } = oauth;
afterAll(() => oauth[Symbol.asyncDispose]());

const path = `/account/organizations/${organizationId}/programs`;
let members = 0;

/** Adds a member, and returns the member's address and browser. */
async function addMember(role: string): Promise<{ email: string; browser: Browser }> {
  members += 1;
  const email = `${role}.${members}@example.com`;
  await clientsOf(identity, 'admin').admin.addMember({ organizationId, email, role });
  return { email, browser: await oauth.signIn(email) };
}

const connect = (browser: Browser) => oauth.tokensOf(browser, organizationId, ['monitors:read']);
const works = async ({ access_token: token }: Tokens) => {
  const { body } = await oauth.post('/oauth/introspect', { client_id: 'tocsin-cli', token });
  return body.active === true;
};
const changesOf = (to: string) =>
  fixture.sent.filter((mail) => mail.to === to && mail.kind === 'credentialChange').map(({ text }) => text);

/** Returns the path of the form that ends the access of a member's only program. */
async function endPath(email: string): Promise<string> {
  const [grant] = await query(
    `select g.id from oauth_grant g join app_user u on u.id = g.user_id where u.email = $1 and revoked_at is null`,
    email,
  );
  return `${path}/${grant?.id}/end`;
}

test('a user gets an email when a program gets access with an authorization code or a device code', async () => {
  const { email, browser } = await addMember('member');
  const given = 'The program “Tocsin command line” was given access to Acme in your name.';
  await connect(browser);
  await eventually(() => expect(changesOf(email)).toEqual([expect.stringContaining(given)]));

  const { body } = await oauth.post('/oauth/device/code', { client_id: 'tocsin-cli', scope: 'monitors:read' });
  const form = { user_code: String(body.user_code), organization: organizationId, scope: 'monitors:read' };
  await browser.post('/oauth/device', { ...form, decision: 'deny' });
  const other = await oauth.post('/oauth/device/code', { client_id: 'tocsin-cli', scope: 'monitors:read' });
  await browser.post('/oauth/device', { ...form, user_code: String(other.body.user_code), decision: 'allow' });
  await eventually(() => expect(changesOf(email)).toHaveLength(2));
  expect(changesOf(email)[1]).toContain(given);
});

test("owners and admins can see a member's programs and end their access, and the member gets an email", async () => {
  const { email, browser } = await addMember('member');
  const admin = await addMember('admin');
  const tokens = await connect(browser);
  for (const manager of [jane, admin.browser]) {
    expect((await manager.visit(path)).text).toContain(`End access of Tocsin command line for ${email}`);
  }
  expect((await admin.browser.post(await endPath(email))).location).toBe(`${path}?ended`);
  expect(await works(tokens)).toBe(false);
  expect((await jane.visit(path)).text).not.toContain(email);
  await eventually(() =>
    expect(changesOf(email)).toContain(`${admin.email} ended the access of the program “Tocsin command line” to Acme.`),
  );
  const [entry] = await query(
    `select actor, details from audit_log where action = 'oauth_grant.revoked' order by id desc limit 1`,
  );
  expect(entry).toEqual({ actor: admin.email, details: expect.stringContaining('"reason":"revoked_by_manager"') });
});

test("a member can't see or end the access of another user's program, and an admin can't end the access of an owner's program", async () => {
  const { browser } = await addMember('member');
  const admin = await addMember('admin');
  const tokens = await connect(jane);
  expect((await browser.visit(path)).status).toBe(403);
  expect((await browser.visit(`/account/organizations/${organizationId}/members`)).text).not.toContain(path);
  const end = await endPath('jane@example.com');
  expect((await browser.post(end)).status).toBe(403);
  const refused = await admin.browser.post(end);
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('Only an owner ends the access') });
  expect(await works(tokens)).toBe(true);
  expect((await jane.post(end)).status).toBe(303);
  expect(await works(tokens)).toBe(false);
});

test("an owner of another organization can't end the access of a program", async () => {
  const { email, browser } = await addMember('member');
  const tokens = await connect(browser);
  const other = await oauth.createOrganization('Other', 'mallory@example.com');
  const mallory = await oauth.signIn('mallory@example.com');
  const end = await endPath(email);
  expect((await mallory.post(end)).status).toBe(404);
  await mallory.post(end.replace(organizationId, other));
  await mallory.post(`/account/organizations/${other}/programs/nonsense/end`);
  expect(await works(tokens)).toBe(true);
});

test('a password change ends the access of programs if the user chooses this', async () => {
  const { email, browser } = await addMember('member');
  const tokens = await connect(browser);
  await browser.post('/account/password', { password: 'correct horse battery staple' });
  expect(await works(tokens)).toBe(true);
  const change = { password: 'another long password', end_programs: 'on' };
  expect((await browser.post('/account/password', change)).location).toBe('/account?done=password');
  expect(await works(tokens)).toBe(false);
  await eventually(() =>
    expect(changesOf(email)).toContainEqual(expect.stringContaining('The access of your programs was ended, too.')),
  );
});
