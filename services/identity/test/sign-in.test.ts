import { eventually } from '@tocsin/testing';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { Browser, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());
/** Email address of the current test's user. Each test has another user. */
let email: string;
let users = 0;
beforeEach(async () => {
  now = START;
  users += 1;
  email = `jane.${users}@example.com`;
  await admin().createOrganization({ name: 'Acme', ownerEmail: email });
});

// Internal tokens are signed at the test's current time, so each call returns a client that gets a new token.
const admin = () => clientsOf(identity, 'admin').admin;
async function linkFor(address = email): Promise<string> {
  return pathOf((await admin().createSignInLink({ email: address })).url);
}

async function signedIn(): Promise<Browser> {
  const browser = new Browser(identity);
  expect(await browser.post(await linkFor())).toMatchObject({ status: 303, location: '/account' });
  return browser;
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { status, location } = await browser.visit('/account');
  expect([200, 303]).toContain(status);
  if (status === 303) expect(location).toBe('/sign-in?next=%2Faccount');
  return status === 200;
}

test('visiting a sign-in link does not sign in, but submitting its form does', async () => {
  const browser = new Browser(identity);
  const link = await linkFor(email.toUpperCase());
  expect(await isSignedIn(browser)).toBe(false);
  const page = await browser.visit(link);
  expect(page).toMatchObject({
    status: 200,
    text: expect.stringContaining(email),
  });
  expect(await isSignedIn(browser)).toBe(false);
  expect(await browser.post(link)).toMatchObject({ status: 303, location: '/account' });
  const account = await browser.visit('/account');
  expect(account.text).toContain(email);
});

test('a sign-in link works once, even if two browsers use it at the same time', async () => {
  const link = await linkFor();
  const attempts = await Promise.all([1, 2, 3, 4].map(() => new Browser(identity).post(link)));
  expect(attempts.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410]);
  expect((await new Browser(identity).visit(link)).status).toBe(410);
});

test('a sign-in link works for 15 minutes', async () => {
  const [first, second] = [await linkFor(), await linkFor()];
  now = new Date(START.getTime() + 15 * MINUTE_MS - 1);
  expect((await new Browser(identity).post(first)).status).toBe(303);
  now = new Date(START.getTime() + 15 * MINUTE_MS);
  expect((await new Browser(identity).visit(second)).status).toBe(410);
  expect((await new Browser(identity).post(second)).status).toBe(410);
});

test('only the ten newest sign-in links of a user are valid', async () => {
  const links: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    now = new Date(START.getTime() + i);
    links.push(await linkFor());
  }
  const statuses = await Promise.all(links.map(async (link) => (await new Browser(identity).visit(link)).status));
  expect(statuses).toEqual([410, ...Array(10).fill(200)]);
});

test('a sign-in link is created only for the address of an existing user', async () => {
  await expect(admin().createSignInLink({ email: 'nobody@example.com' })).rejects.toMatchObject({
    kind: 'not_found',
    message: 'user not found',
  });
  await expect(admin().createSignInLink({ email: 'jane' })).rejects.toMatchObject({
    fields: { email: ['must be a mail address such as jane@example.com'] },
  });
});

test('the audit log records the creation of a sign-in link by the operator, but not by the user', async () => {
  const { organization } = await admin().createOrganization({ name: 'Other', ownerEmail: email });
  const sql = `select actor, target_id = user_id as is_user from audit_log a join membership m using (organization_id)
               where organization_id = $1 and action = 'user.sign_in_link_created'`;
  const entries = () => tables.transaction('every organization', (tx) => tx.query(sql, [organization?.id]));
  await new Browser(identity, '203.0.113.1').post('/sign-in', { email, by: 'link' });
  await eventually(() => expect(fixture.sent).toContainEqual(expect.objectContaining({ to: email, kind: 'signIn' })));
  expect(await entries()).toEqual([]);
  await linkFor();
  expect(await entries()).toEqual([{ actor: 'service:admin', is_user: true }]);
});

test('the cookie is hidden from scripts and not sent with forms of other sites', async () => {
  const page = await new Browser(identity).post(await linkFor());
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^tocsin-session=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
});

test('the database does not contain the secrets of sessions or links', async () => {
  const link = await linkFor();
  const browser = await signedIn();
  const secrets = [link.split('/').at(-1), [...browser.cookies.values()][0]];
  for (const table of ['session', 'sign_in_link']) {
    const rows = await tables.transaction('every organization', (tx) =>
      tx.query(`select t::text as row from ${table} t`),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      for (const form of [secret ?? '', Buffer.from(secret ?? '', 'base64url').toString('hex')]) {
        expect(JSON.stringify(rows)).not.toContain(form);
      }
    }
  }
});

test('a session ends 30 days after its last use', async () => {
  const [used, unused] = [await signedIn(), await signedIn()];
  now = new Date(START.getTime() + 20 * DAY_MS);
  expect(await isSignedIn(used)).toBe(true);
  now = new Date(START.getTime() + 30 * DAY_MS - 1);
  expect(await isSignedIn(unused)).toBe(true);
  now = new Date(START.getTime() + 50 * DAY_MS - 1);
  expect(await isSignedIn(used)).toBe(true);
  now = new Date(now.getTime() + 30 * DAY_MS);
  expect(await isSignedIn(used)).toBe(false);
});

test('a user has at most 50 sessions, and another sign-in ends the session that was unused for the longest time', async () => {
  const browsers: Browser[] = [];
  for (let i = 0; i < 50; i += 1) {
    now = new Date(START.getTime() + i * 2_000);
    browsers.push(await signedIn());
  }
  const states = () => Promise.all(browsers.map(isSignedIn));
  expect(await states()).toEqual(Array(50).fill(true));
  // The first browser is used again after an hour, so the second one has been unused for the longest time.
  now = new Date(START.getTime() + 61 * MINUTE_MS);
  await isSignedIn(browsers[0] ?? (await signedIn()));
  browsers.push(await signedIn());
  expect(await states()).toEqual([true, false, ...Array(49).fill(true)]);
});

test('signing out ends the session, even for a copy of the cookie', async () => {
  const browser = await signedIn();
  const [name = '', secret = ''] = [...browser.cookies][0] ?? [];
  expect(await browser.post('/account/sign-out')).toMatchObject({ status: 303, location: '/sign-in' });
  expect([...browser.cookies]).toEqual([]);
  const copy = new Browser(identity);
  copy.store(name, secret);
  expect(await isSignedIn(copy)).toBe(false);
});

test.each([
  ['another site', 'https://example.com'],
  ['another port', 'http://tocsin.test:8080'],
  ['https instead of http', 'https://tocsin.test'],
  ['a page without an origin', 'null'],
  ['no page', null],
])('a form that comes from %s changes nothing', async (_from, origin) => {
  const link = await linkFor();
  const refused = await new Browser(identity).visit(link, { form: {}, origin });
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('http://tocsin.test') });
  const browser = await signedIn();
  expect((await browser.visit('/account/sign-out', { form: {}, origin })).status).toBe(403);
  expect(await isSignedIn(browser)).toBe(true);
  expect((await new Browser(identity).post(link)).status).toBe(303);
});

test('the sign-in page redirects a signed-in user to the requested page of this site', async () => {
  const browser = await signedIn();
  const locationFor = async (next: string) =>
    (await browser.visit(`/sign-in?next=${encodeURIComponent(next)}`)).location;
  expect(await locationFor('/oauth/authorize?client_id=x')).toBe('/oauth/authorize?client_id=x');
  expect(await locationFor('https://example.com/')).toBe('/account');
  expect(await locationFor('//example.com/')).toBe('/account');
});

test('pages have a policy that allows no script except the one for passkeys, and cannot be cached or framed', async () => {
  const browser = await signedIn();
  for (const path of ['/sign-in', '/sign-in/code', '/account', '/account/programs', '/nothing']) {
    const { headers, text } = await browser.visit(path);
    if (path !== '/sign-in') {
      const hasScript = path === '/account' || path === '/sign-in/code';
      const script = hasScript ? "script-src 'sha256-[^']+'; connect-src 'self'; " : '';
      expect(headers.get('content-security-policy')).toMatch(
        new RegExp(
          `^default-src 'none'; style-src 'sha256-[^']+'; ${script}base-uri 'none'; form-action 'self'; frame-ancestors 'none'$`,
        ),
      );
      expect(text.includes('<script')).toBe(hasScript);
    }
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  }
});

test.each([
  ['GET', '/nothing', 404],
  ['GET', '/account/sign-out', 405],
  ['POST', '/account', 405],
  ['PUT', '/account', 405],
  ['HEAD', '/sign-in', 200],
  ['GET', '/sign-in/link/nonsense', 410],
])('the request %s %s gets the status %i', async (method, path, status) => {
  expect((await new Browser(identity).visit(path, { method })).status).toBe(status);
});

test('ended sessions, expired links and invitations, and attempt counts of past days are deleted', async () => {
  const { member } = await signedInWithInvitation();
  expect(member).toBe(email);
  const tablesToClear = ['session', 'sign_in_link', 'invitation', 'attempt_count'];
  const counts = async () => {
    const columns = tablesToClear.map((table) => `(select count(*) from ${table}) as ${table}`).join(', ');
    return (
      await tables.transaction('every organization', (tx) => tx.query<Record<string, number>>(`select ${columns}`))
    )[0];
  };
  const deleteAt = (time: Date) => deleteOld({ database: tables, now: () => time });
  const before = await counts();
  for (const table of tablesToClear) expect([table, before?.[table]]).not.toEqual([table, 0]);
  await deleteAt(START);
  expect(await counts()).toEqual(before);
  // A year after the start, everything that the tests created has expired, because they moved the clock by at most 110
  // days.
  await deleteAt(new Date(START.getTime() + 365 * DAY_MS));
  expect(await counts()).toEqual({ session: 0, sign_in_link: 0, invitation: 0, attempt_count: 0 });
});

/** Signs in a user who has another valid link and has sent an invitation. */
async function signedInWithInvitation() {
  const browser = await signedIn();
  await linkFor();
  const [, path = ''] = /href="([^"]+\/members)"/.exec((await browser.visit('/account')).text) ?? [];
  const invited = await browser.post(`${path}/invite`, { email: 'guest@example.com', role: 'member' });
  expect(invited.status).toBe(303);
  const { text } = await browser.visit(path);
  return { member: /jane\.\d+@example\.com/.exec(text)?.[0] };
}
