import { eventually } from '@tocsin/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser, type Page, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;
const PASSWORD = 'correct horse battery staple';

let now = START;
let address = 0;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

let email: string;
let organizationId: string;
let users = 0;
beforeEach(async () => {
  now = START;
  users += 1;
  email = `jane.${users}@example.com`;
  const { admin } = clientsOf(identity, 'admin');
  organizationId = (await admin.createOrganization({ name: 'Acme', ownerEmail: email })).organization?.id ?? '';
});

/** Returns a browser in a network that no other browser uses. */
function newBrowser(): Browser {
  address += 1;
  return new Browser(identity, `198.51.${Math.floor(address / 250)}.${(address % 250) + 1}`);
}

async function signInWithLink(browser = newBrowser()): Promise<Browser> {
  const { url } = await clientsOf(identity, 'admin').admin.createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

/** Signs a user in, sets the user's password, and returns the browser. */
async function withPassword(password = PASSWORD): Promise<Browser> {
  const browser = await signInWithLink();
  const done = await browser.post('/account/password', { password });
  expect(done).toMatchObject({ status: 303, location: '/account?done=password' });
  return browser;
}

const signIn = (browser: Browser, password: string, to = email): Promise<Page> =>
  browser.post('/sign-in', { email: to, password, next: '/account' });

const isSignedIn = async (browser: Browser) => (await browser.visit('/account')).status === 200;
const mailsTo = (to: string) => fixture.sent.filter((mail) => mail.to === to);
const actions = async () => {
  const sql = 'select action, actor, address, details from audit_log where organization_id = $1 order by id';
  return tables.transaction({ organizationId }, (tx) => tx.query(sql, [organizationId]));
};

describe('sign-in links in emails', () => {
  const request = (browser: Browser, to: string, next = '/account') =>
    browser.post('/sign-in', { email: to, password: '', next, by: 'link' });

  test('an emailed link signs the user in and redirects to the page that was requested', async () => {
    const browser = newBrowser();
    const next = '/account?x=1';
    expect((await browser.visit(`/sign-in?next=${encodeURIComponent(next)}`)).text).toContain('value="/account?x=1"');
    expect(await request(browser, email.toUpperCase(), next)).toMatchObject({ status: 303, location: '/sign-in/sent' });
    const [mail] = await eventually(() => {
      expect(mailsTo(email)).toHaveLength(1);
      return mailsTo(email);
    });
    const link = pathOf(mail?.text ?? '');
    expect(await browser.post(link)).toMatchObject({ status: 303, location: next });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('an emailed link leads to the requested page only in the browser that requested the link', async () => {
    const next = '/oauth/device?user_code=ABCD-EFGH';
    const browser = newBrowser();
    await browser.post('/sign-in', { email, by: 'link', next });
    const link = await eventually(async () => {
      const mail = mailsTo(email).at(-1);
      expect(mail).toBeDefined();
      return pathOf(mail?.text ?? '');
    });
    expect(await newBrowser().post(link)).toMatchObject({ status: 303, location: '/account' });
  });

  test('a link is not sent to an unknown address, but the response is the same as for a known address', async () => {
    const known = await request(newBrowser(), email);
    const unknown = await request(newBrowser(), 'nobody@example.com');
    expect({ ...unknown, headers: undefined }).toEqual({ ...known, headers: undefined });
    const names = (page: Page) => [...page.headers.keys()];
    expect(names(unknown)).toEqual(names(known));
    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    expect(mailsTo('nobody@example.com')).toEqual([]);
  });

  test('an address gets at most three links in ten minutes, and if other people use up this limit, the user still has a valid link', async () => {
    // Other people request links for the user, from many networks.
    for (let i = 0; i < 6; i += 1) expect((await request(newBrowser(), email)).location).toBe('/sign-in/sent');
    await eventually(() => expect(mailsTo(email)).toHaveLength(3));
    now = new Date(START.getTime() + 10 * MINUTE_MS - 1);
    expect((await request(newBrowser(), email)).location).toBe('/sign-in/sent');
    expect((await newBrowser().post(pathOf(mailsTo(email).at(-1)?.text ?? ''))).status).toBe(303);
    now = new Date(START.getTime() + 10 * MINUTE_MS);
    await request(newBrowser(), email);
    await eventually(() => expect(mailsTo(email)).toHaveLength(4));
  });

  test('at most 30 links can be requested from one network in ten minutes', async () => {
    const browser = newBrowser();
    const statuses: number[] = [];
    for (let i = 0; i < 31; i += 1) statuses.push((await request(browser, `someone.${i}@example.com`)).status);
    expect(statuses).toEqual([...Array(30).fill(303), 429]);
    expect((await request(newBrowser(), 'someone.99@example.com')).status).toBe(303);
    now = new Date(START.getTime() + 10 * MINUTE_MS);
    expect((await request(browser, 'someone@example.com')).status).toBe(303);
  });

  test.each(['', 'jane', 'a@b@c', `${'x'.repeat(255)}@example.com`])(
    'a sign-in link can not be requested for %j, which is not a mail address',
    async (text) => {
      const page = await request(newBrowser(), text);
      expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Enter your mail address') });
    },
  );

  test('a sign-in with a link is recorded in the audit log', async () => {
    const browser = await signInWithLink();
    expect(await actions()).toContainEqual({
      action: 'user.signed_in',
      actor: email,
      address: browser.address,
      details: '{"with":"link"}',
    });
  });
});

describe('passwords', () => {
  test('a user signs in only with the right password', async () => {
    await withPassword();
    const browser = newBrowser();
    expect((await signIn(browser, `${PASSWORD}!`)).status).toBe(422);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await signIn(browser, PASSWORD)).toMatchObject({ status: 303, location: '/account' });
    expect(await isSignedIn(browser)).toBe(true);
    expect(await actions()).toContainEqual(expect.objectContaining({ details: '{"with":"password"}' }));
  });

  test('a password is stored only as an argon2id hash', async () => {
    await withPassword();
    const rows = await tables.transaction('every organization', (tx) => tx.query('select hash from user_password'));
    expect(rows).not.toEqual([]);
    for (const row of rows) expect(row.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('a wrong password, an unknown address and a user without a password get the same page', async () => {
    const withoutPassword = email;
    await signInWithLink();
    users += 1;
    const other = `kim.${users}@example.com`;
    await clientsOf(identity, 'admin').admin.createOrganization({ name: 'Other', ownerEmail: other });
    email = other;
    await withPassword();
    const pages = await Promise.all(
      [other, withoutPassword, 'nobody@example.com'].map(async (to) => {
        const page = await signIn(newBrowser(), 'a wrong password', to);
        return { status: page.status, text: page.text.replace(to, '(address)') };
      }),
    );
    expect(pages[0]?.status).toBe(422);
    expect(pages[1]).toEqual(pages[0]);
    expect(pages[2]).toEqual(pages[0]);
  });

  test('after ten password attempts for an address within 15 minutes, further attempts are refused, but links still work', async () => {
    await withPassword();
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await signIn(newBrowser(), 'a wrong password')).status);
    expect(statuses).toEqual([...Array(10).fill(422), 429]);
    const refused = await signIn(newBrowser(), PASSWORD);
    expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('Send yourself a link') });
    const browser = newBrowser();
    expect((await browser.post('/sign-in', { email, by: 'link' })).location).toBe('/sign-in/sent');
    const [mail] = await eventually(() => {
      const links = mailsTo(email).filter(({ kind }) => kind === 'signIn');
      expect(links).toHaveLength(1);
      return links;
    });
    expect((await browser.post(pathOf(mail?.text ?? ''))).status).toBe(303);
    now = new Date(START.getTime() + 15 * MINUTE_MS);
    expect((await signIn(newBrowser(), PASSWORD)).status).toBe(303);
  });

  test('password attempts for an unknown address have the same limit as for a known address', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await signIn(newBrowser(), 'x', `no.${users}@example.com`)).status);
    expect(statuses).toEqual([...Array(10).fill(422), 429]);
  });

  test('at most 30 passwords can be tried from one network in 15 minutes', async () => {
    const browser = newBrowser();
    const statuses: number[] = [];
    for (let i = 0; i < 31; i += 1) statuses.push((await signIn(browser, 'x', `n${i}.${users}@example.com`)).status);
    expect(statuses).toEqual([...Array(30).fill(422), 429]);
  });

  test.each([
    ['short', 'must be at least 12 characters'],
    ['x'.repeat(201), 'must be at most 200 characters'],
  ])('the new password "%s" is refused with the message "%s"', async (password, problem) => {
    const browser = await signInWithLink();
    const page = await browser.post('/account/password', { password });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining(`The new password ${problem}.`) });
  });

  test('a password change ends the other sessions, is recorded in the audit log, and is reported by mail', async () => {
    const other = await signInWithLink();
    const browser = await withPassword();
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false]);
    expect(await actions()).toContainEqual({
      action: 'user.password_changed',
      actor: email,
      address: browser.address,
      details: '{}',
    });
    await eventually(() =>
      expect(mailsTo(email)).toContainEqual({
        to: email,
        kind: 'credentialChange',
        text: 'Your password was changed, and every other browser was signed out.',
      }),
    );
  });

  test('a password change invalidates unused sign-in links', async () => {
    const { url } = await clientsOf(identity, 'admin').admin.createSignInLink({ email });
    await withPassword();
    expect((await newBrowser().visit(pathOf(url))).status).toBe(410);
    expect((await newBrowser().post(pathOf(url))).status).toBe(410);
  });

  test('a user who signed in 15 minutes ago must enter the current password to change it', async () => {
    const browser = await withPassword();
    now = new Date(START.getTime() + 15 * MINUTE_MS);
    const change = (current: string) =>
      browser.post('/account/password', { current, password: 'another long password' });
    expect(await change('wrong')).toMatchObject({ status: 422, text: expect.stringContaining('password is wrong') });
    expect((await change(PASSWORD)).location).toBe('/account?done=password');
    expect((await signIn(newBrowser(), PASSWORD)).status).toBe(422);
    expect((await signIn(newBrowser(), 'another long password')).status).toBe(303);
  });

  test("a user without a password can't set one 15 minutes after signing in", async () => {
    const browser = await signInWithLink();
    now = new Date(START.getTime() + 15 * MINUTE_MS);
    const page = await browser.post('/account/password', { password: PASSWORD });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('sign in again') });
    expect((await signIn(newBrowser(), PASSWORD)).status).toBe(422);
  });

  test('a password does not appear in the log or in a page', async () => {
    const browser = await withPassword();
    const page = await signIn(newBrowser(), `${PASSWORD}!`);
    expect(page.text).not.toContain(PASSWORD);
    expect((await browser.visit('/account')).text).not.toContain(PASSWORD);
    expect(fixture.logged.length).toBeGreaterThan(0);
    expect(fixture.logged.join('')).not.toContain(PASSWORD);
  });
});

describe('list of browsers', () => {
  test('the list of browsers has buttons that each end one session, and one that ends all sessions except the current one', async () => {
    const [first, second, third] = [await signInWithLink(), await signInWithLink(), await signInWithLink()];
    const page = await first.visit('/account');
    for (const { address: shown } of [first, second, third]) expect(page.text).toContain(shown);
    const ends = [...page.text.matchAll(/action="(\/account\/sessions\/[\da-f-]+\/end)"/g)].map(([, path]) => path);
    expect(ends).toHaveLength(2);
    // The most recently used browser comes first.
    expect((await first.post(ends[0] ?? '')).location).toBe('/account?done=session');
    expect(await Promise.all([first, second, third].map(isSignedIn))).toEqual([true, true, false]);
    expect((await first.post('/account/sessions/end-others')).location).toBe('/account?done=sessions');
    expect(await Promise.all([first, second].map(isSignedIn))).toEqual([true, false]);
  });

  test('the browser list can not end the session of another user', async () => {
    const victim = await signInWithLink();
    const [session] = await tables.transaction('every organization', (tx) =>
      tx.query<{ id: string }>('select id from session order by id desc limit 1'),
    );
    users += 1;
    email = `mallory.${users}@example.com`;
    await clientsOf(identity, 'admin').admin.createOrganization({ name: 'Other', ownerEmail: email });
    const mallory = await signInWithLink();
    await mallory.post(`/account/sessions/${session?.id}/end`);
    await mallory.post('/account/sessions/nonsense/end');
    expect(await isSignedIn(victim)).toBe(true);
  });
});

test('signing in as another user ends the session that the browser had', async () => {
  const browser = await signInWithLink();
  const [name = '', secret = ''] = [...browser.cookies][0] ?? [];
  await signInWithLink(browser);
  const copy = newBrowser();
  copy.store(name, secret);
  expect([await isSignedIn(browser), await isSignedIn(copy)]).toEqual([true, false]);
});

test('a sign-in that continues with OAuth returns a page instead of a redirect, because the form is not allowed to redirect to a client', async () => {
  await withPassword();
  const page = await newBrowser().post('/sign-in', { email, password: PASSWORD, next: '/oauth/authorize?a=1&b=2' });
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('href="/oauth/authorize?a=1&amp;b=2"') });
  expect(page.headers.get('refresh')).toBe('0; url=/oauth/authorize?a=1&b=2');
});
