import { eventually } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { Browser, pathOf } from './browser.ts';
import { clientsOf, identityFixture, type SentMail } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PASSWORD = 'correct horse battery staple';

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

/** Returns a client with a new token. Earlier tokens may have expired, because tests change the clock. */
const admin = () => clientsOf(identity, 'admin').admin;
let tests = 0;
let organizationId: string;
/** Earlier and new address of the current test's user. */
let old: string;
let fresh: string;
beforeEach(async () => {
  now = START;
  tests += 1;
  [old, fresh] = [`old.${tests}@example.com`, `fresh.${tests}@example.com`];
  organizationId = (await admin().createOrganization({ name: 'Acme', ownerEmail: old })).organization?.id ?? '';
});

const newBrowser = () => new Browser(identity, `198.51.100.${tests}`);
const query = (sql: string, ...values: unknown[]) =>
  tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));

async function signIn(email: string): Promise<Browser> {
  const browser = newBrowser();
  const { url } = await admin().createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

/** Returns the path of the link in the newest email of a kind to an address. */
const linkTo = (to: string, kind: SentMail['kind']) =>
  eventually(() => {
    const mail = fixture.sent.findLast((sent) => sent.to === to && sent.kind === kind);
    expect(mail).toBeDefined();
    return pathOf(mail?.text ?? '');
  });

async function request(browser: Browser, email = fresh): Promise<string> {
  expect(await browser.post('/account/email', { email })).toMatchObject({ location: '/account?done=email_sent' });
  return linkTo(email, 'emailConfirmation');
}

/** Changes the address, and returns the path of the link that undoes the change. */
async function change(browser: Browser, from = old, to = fresh): Promise<string> {
  const link = await request(browser, to);
  expect(await browser.post(link)).toMatchObject({ location: '/account?done=email' });
  return linkTo(from, 'emailChanged');
}

const isSignedIn = async (browser: Browser) => (await browser.visit('/account')).status === 200;
const addressOf = async (browser: Browser) =>
  /<h2 id="address">[\s\S]*?<p>([^<]+)<\/p>/.exec((await browser.visit('/account')).text)?.[1];

describe('new mail addresses', () => {
  test('a new address takes effect when the signed-in user confirms it, which ends other sessions and sign-in links', async () => {
    const [browser, other] = [await signIn(old), await signIn(old)];
    const link = await request(browser);
    const { url } = await admin().createSignInLink({ email: old });
    expect((await browser.visit(link)).text).toContain(fresh);
    expect(await addressOf(browser)).toBe(old);
    expect(await browser.post(link)).toMatchObject({ status: 303, location: '/account?done=email' });
    expect(await addressOf(browser)).toBe(fresh);
    expect(await isSignedIn(other)).toBe(false);
    expect((await newBrowser().post(pathOf(url))).status).toBe(410);
    // The link works once.
    expect((await browser.visit(link)).status).toBe(410);
    expect((await browser.post(link)).status).toBe(410);
    await expect(admin().createSignInLink({ email: old })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await isSignedIn(await signIn(fresh))).toBe(true);
    const audit = await query(
      `select action, actor, details::json as details from audit_log
       where organization_id = $1 and action ~ '^user.email' order by id`,
      organizationId,
    );
    expect(audit).toEqual([
      { action: 'user.email_change_requested', actor: old, details: { to: fresh } },
      { action: 'user.email_changed', actor: old, details: { from: old, to: fresh } },
    ]);
  });

  test('a visitor or another user can not confirm a new address', async () => {
    const browser = await signIn(old);
    const link = await request(browser);
    const visitor = newBrowser();
    expect((await visitor.visit(link)).location).toBe(`/sign-in?next=${encodeURIComponent(link)}`);
    expect((await visitor.post(link)).location).toMatch(/^\/sign-in/);
    await admin().createOrganization({ name: 'Other', ownerEmail: `mallory.${tests}@example.com` });
    const mallory = await signIn(`mallory.${tests}@example.com`);
    expect((await mallory.visit(link)).status).toBe(410);
    expect((await mallory.post(link)).status).toBe(410);
    expect(await addressOf(browser)).toBe(old);
  });

  test('a new address can be confirmed within 24 hours', async () => {
    const browser = await signIn(old);
    const link = await request(browser);
    now = new Date(START.getTime() + DAY_MS);
    expect((await browser.post(link)).status).toBe(410);
    now = new Date(START.getTime() + DAY_MS - 1);
    expect((await browser.post(link)).status).toBe(303);
  });

  test('if another account has the new address, the response is the same as for an unused address, but no email is sent', async () => {
    const taken = `taken.${tests}@example.com`;
    await admin().createOrganization({ name: 'Other', ownerEmail: taken });
    const browser = await signIn(old);
    const page = await browser.post('/account/email', { email: taken });
    expect(page).toMatchObject({ status: 303, location: '/account?done=email_sent' });
    await request(browser);
    expect(fixture.sent.filter(({ to }) => to === taken)).toEqual([]);
  });

  test('confirming a new address is refused if another account has taken it in the meantime', async () => {
    const browser = await signIn(old);
    const link = await request(browser);
    await admin().createOrganization({ name: 'Other', ownerEmail: fresh.toUpperCase() });
    expect(await browser.post(link)).toMatchObject({ status: 409, text: expect.stringContaining('in use') });
    expect(await addressOf(browser)).toBe(old);
  });

  test('a second request for a new address replaces the first one', async () => {
    const browser = await signIn(old);
    const first = await request(browser);
    const second = await request(browser, `second.${fresh}`);
    expect((await browser.post(first)).status).toBe(410);
    expect((await browser.post(second)).status).toBe(303);
  });

  test.each(['nobody', ''])('a new address such as "%s" is refused', async (email) => {
    const page = await (await signIn(old)).post('/account/email', { email });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Enter a mail address') });
  });

  test('the current address is refused as a new address', async () => {
    const page = await (await signIn(old)).post('/account/email', { email: old.toUpperCase() });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('already') });
  });

  test('a user can enter a new address at most five times a day', async () => {
    const browser = await signIn(old);
    const post = async (index: number) => (await browser.post('/account/email', { email: `${index}.${fresh}` })).status;
    for (let index = 0; index < 5; index += 1) expect(await post(index)).toBe(303);
    expect(await post(5)).toBe(422);
  });

  test('a request for a new address requires a recent sign-in or the password', async () => {
    const browser = await signIn(old);
    now = new Date(START.getTime() + HOUR_MS);
    expect((await browser.post('/account/email', { email: fresh })).status).toBe(422);
    const again = await signIn(old);
    await again.post('/account/password', { password: PASSWORD });
    now = new Date(START.getTime() + 2 * HOUR_MS);
    expect((await again.post('/account/email', { email: fresh, current: 'wrong' })).status).toBe(422);
    expect((await again.post('/account/email', { email: fresh, current: PASSWORD })).status).toBe(303);
  });

  test('an address change updates the sender of open invitations, so that they are revoked when the membership of the sender ends', async () => {
    const browser = await signIn(old);
    const path = `/account/organizations/${organizationId}/members`;
    await browser.post(`${path}/invite`, { email: `guest.${tests}@example.com`, role: 'admin' });
    await change(browser);
    await admin().addMember({ organizationId, email: `second.owner.${tests}@example.com`, role: 'owner' });
    await admin().removeMember({ organizationId, email: fresh });
    expect(await query('select id from invitation where organization_id = $1', organizationId)).toEqual([]);
  });
});

describe('undo links in emails to the earlier address', () => {
  test('an undo link restores the address, ends sessions, and removes a password that was set after the change', async () => {
    const browser = await signIn(old);
    const undo = await change(browser);
    now = new Date(START.getTime() + 60_000);
    await browser.post('/account/password', { password: PASSWORD });
    const owner = newBrowser();
    expect((await owner.visit(undo)).text).toContain(old);
    expect(await isSignedIn(browser)).toBe(true);
    expect((await owner.post(undo)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await addressOf(await signIn(old))).toBe(old);
    const page = await newBrowser().post('/sign-in', { email: old, password: PASSWORD });
    expect(page.status).toBe(422);
    expect((await owner.visit(undo)).status).toBe(410);
    expect((await owner.post(undo)).status).toBe(410);
    expect(
      await query(
        `select actor from audit_log where organization_id = $1 and action = 'user.email_change_undone'`,
        organizationId,
      ),
    ).toEqual([{ actor: old }]);
  });

  test('an undo link also removes a password, passkeys and recovery codes from before the change, because another person may have them', async () => {
    const browser = await signIn(old);
    await browser.post('/account/password', { password: PASSWORD });
    await query(
      `insert into passkey (id, user_id, name, credential_id, public_key, counter, transports, created_at)
       select gen_random_uuid(), id, 'Phone', $2, '\\x01', 0, '{}', now() from app_user where email = $1`,
      old,
      `credential of ${old}`,
    );
    await query(
      `insert into user_totp (user_id, sealed_secret, created_at, enabled_at, last_step)
       select id, '', '2026-01-01', '2026-01-01', 0 from app_user where email = $1`,
      old,
    );
    await query(
      `insert into recovery_code (user_id, code_hash) select id, '\\x01' from app_user where email = $1`,
      old,
    );
    now = new Date(START.getTime() + 1);
    await newBrowser().post(await change(browser));
    expect((await newBrowser().post('/sign-in', { email: old, password: PASSWORD })).status).toBe(422);
    const left = await query(
      `select from passkey where user_id = (select id from app_user where email = $1)
       union all select from recovery_code where user_id = (select id from app_user where email = $1)`,
      old,
    );
    expect(left).toEqual([]);
  });

  test('an undo link cancels a deletion of the account', async () => {
    const undo = await change(await signIn(old));
    await query('update app_user set delete_at = now() where email = $1', fresh);
    await newBrowser().post(undo);
    expect(await query('select delete_at from app_user where email = $1', old)).toEqual([{ delete_at: null }]);
  });

  test('an undo link still works after a later address change, and its use invalidates the undo link of the later change', async () => {
    const browser = await signIn(old);
    const first = await change(browser);
    const second = await change(browser, fresh, `third.${fresh}`);
    expect((await newBrowser().post(first)).status).toBe(200);
    expect((await newBrowser().post(second)).status).toBe(410);
    expect(await addressOf(await signIn(old))).toBe(old);
  });

  test('an undo link works for 7 days', async () => {
    const undo = await change(await signIn(old));
    now = new Date(START.getTime() + 7 * DAY_MS);
    expect((await newBrowser().post(undo)).status).toBe(410);
    now = new Date(START.getTime() + 7 * DAY_MS - 1);
    expect((await newBrowser().post(undo)).status).toBe(200);
  });

  test('an undo link is refused if another account now has the earlier address', async () => {
    const undo = await change(await signIn(old));
    await admin().createOrganization({ name: 'Other', ownerEmail: old });
    expect((await newBrowser().post(undo)).status).toBe(409);
    expect(await addressOf(await signIn(fresh))).toBe(fresh);
  });
});

test('address changes are deleted when their links expire', async () => {
  await change(await signIn(old));
  const count = async () => (await query('select id from email_change where old_email = $1', old)).length;
  await deleteOld({ database: tables, now: () => new Date(START.getTime() + 7 * DAY_MS) });
  expect(await count()).toBe(1);
  await deleteOld({ database: tables, now: () => new Date(START.getTime() + 7 * DAY_MS + 1) });
  expect(await count()).toBe(0);
});

test('the secrets of confirmation and undo links are not stored', async () => {
  const browser = await signIn(old);
  const link = await request(browser);
  expect((await browser.post(link)).status).toBe(303);
  const undo = await linkTo(old, 'emailChanged');
  const [row] = await query(`select query_to_xml('select * from email_change', true, false, '')::text as all`);
  for (const path of [link, undo]) expect(String(row?.all)).not.toContain(path.split('/').at(-1));
  expect(fixture.logged.join('')).not.toContain(undo.split('/').at(-1));
});
