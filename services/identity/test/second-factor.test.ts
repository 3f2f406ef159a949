import { eventually } from '@tocsin/testing';
import { generateVaultKey } from '@tocsin/vault';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { codeAt, stepAt } from '../src/app/totp.ts';
import { Browser, type Page, pathOf } from './browser.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const STEP_MS = 30_000;
const MINUTE_MS = 60_000;
const PASSWORD = 'correct horse battery staple';

let now = START;
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

const newBrowser = () => new Browser(identity, `198.51.100.${users}`);
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const isSignedIn = async (browser: Browser) => (await browser.visit('/account')).status === 200;

async function openLink(browser: Browser): Promise<Page> {
  const { url } = await clientsOf(identity, 'admin').admin.createSignInLink({ email });
  return browser.post(pathOf(url));
}

function secretIn(page: Page): Buffer {
  const key = /<code class="secret">([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...key].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

const recoveryCodesIn = (page: Page) =>
  [...page.text.matchAll(/<li>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})<\/li>/g)].map((m) => m[1] ?? '');

/**
 * Signs a user in, and sets a password and a second factor. Advances the clock by a step, so that the next code is new.
 */
async function withFactor() {
  const browser = newBrowser();
  await openLink(browser);
  await browser.post('/account/password', { password: PASSWORD });
  expect(await browser.post('/account/second-factor/start')).toMatchObject({ location: '/account/second-factor' });
  const page = await browser.visit('/account/second-factor');
  expect(page.text).toMatch(/<svg[^>]*>/);
  const secret = secretIn(page);
  expect(secret).toHaveLength(20);
  const code = () => codeAt(secret, stepAt(now));
  const enabled = await browser.post('/account/second-factor/enable', { code: code() });
  expect(enabled.status).toBe(200);
  const recoveryCodes = recoveryCodesIn(enabled);
  expect(recoveryCodes).toHaveLength(10);
  later(STEP_MS);
  return { browser, code, recoveryCodes };
}

test.each(['a link', 'a password'])('after setup, signing in with %s needs a code from the app', async (how) => {
  const { code } = await withFactor();
  const browser = newBrowser();
  const form = { email, password: PASSWORD, next: '/account?x=1' };
  const first = how === 'a link' ? await openLink(browser) : await browser.post('/sign-in', form);
  const next = how === 'a link' ? '/account' : '/account?x=1';
  expect(first).toMatchObject({ status: 303, location: `/sign-in/code?next=${encodeURIComponent(next)}` });
  expect(await isSignedIn(browser)).toBe(false);
  expect((await browser.visit(first.location ?? '')).text).toContain('Enter your code');
  const before = [...browser.cookies.values()];
  expect((await browser.post('/sign-in/code', { code: '000000', next })).status).toBe(422);
  expect(await isSignedIn(browser)).toBe(false);
  expect(await browser.post('/sign-in/code', { code: code(), next })).toMatchObject({ status: 303, location: next });
  expect(await isSignedIn(browser)).toBe(true);
  expect([...browser.cookies.values()]).not.toEqual(before);
});

test('after a code is entered, the session has a new secret, and the earlier secret gives no access', async () => {
  const { code } = await withFactor();
  const browser = newBrowser();
  await openLink(browser);
  const copy = newBrowser();
  for (const [name, value] of browser.cookies) copy.store(name, value);
  await browser.post('/sign-in/code', { code: code() });
  expect([await isSignedIn(browser), await isSignedIn(copy)]).toEqual([true, false]);
});

test('a code works once, even in two browsers at the same time', async () => {
  const { code } = await withFactor();
  const browsers = [newBrowser(), newBrowser(), newBrowser()];
  for (const browser of browsers) await openLink(browser);
  const pages = await Promise.all(browsers.map((browser) => browser.post('/sign-in/code', { code: code() })));
  expect(pages.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
});

test('a recovery code signs in once, in uppercase or lowercase, with or without hyphens', async () => {
  const { browser: first, recoveryCodes } = await withFactor();
  const [one = '', two = ''] = recoveryCodes;
  const attempt = async (code: string) => {
    const browser = newBrowser();
    await openLink(browser);
    return (await browser.post('/sign-in/code', { code })).status;
  };
  expect(await attempt(one)).toBe(303);
  expect(await attempt(one)).toBe(422);
  expect(await attempt(two.toUpperCase().replaceAll('-', ''))).toBe(303);
  expect((await first.visit('/account')).text).toContain('Unused recovery codes: 8');
});

test('at most five codes can be tried in 15 minutes', async () => {
  const { code } = await withFactor();
  const browser = newBrowser();
  await openLink(browser);
  const statuses: number[] = [];
  for (let i = 0; i < 5; i += 1) statuses.push((await browser.post('/sign-in/code', { code: '000000' })).status);
  statuses.push((await browser.post('/sign-in/code', { code: code() })).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  later(15 * MINUTE_MS);
  await openLink(browser);
  expect((await browser.post('/sign-in/code', { code: code() })).status).toBe(303);
});

test.each([
  ['password', 'link'],
  ['link', 'password'],
] as const)('wrong codes after a %s do not affect signing in with a %s', async (attacked, other) => {
  const { code, recoveryCodes } = await withFactor();
  const begin = async (factor: 'password' | 'link') => {
    const browser = newBrowser();
    if (factor === 'link') await openLink(browser);
    else await browser.post('/sign-in', { email, password: PASSWORD });
    return browser;
  };
  const owner = await begin(other);
  const mailsBefore = fixture.sent.filter(({ to }) => to === email).length;
  const stranger = await begin(attacked);
  const statuses: number[] = [];
  for (const wrong of ['000000', 'aaaa-aaaa-aaaa-aaaa', '000000', '000000']) {
    statuses.push((await stranger.post('/sign-in/code', { code: wrong })).status);
  }
  expect(statuses).toEqual([422, 422, 422, 422]);
  expect(await limitEntries()).toEqual([]);
  expect((await stranger.post('/sign-in/code', { code: '000000' })).status).toBe(422);
  for (const right of [code(), recoveryCodes[0] ?? '']) {
    expect((await (await begin(attacked)).post('/sign-in/code', { code: right })).status).toBe(429);
  }
  expect(await limitEntries()).toEqual([{ actor: email, address: stranger.address, details: { with: attacked } }]);
  await eventually(() => expect(fixture.sent.filter(({ to }) => to === email)).toHaveLength(mailsBefore + 1));
  expect(fixture.sent.filter(({ to }) => to === email).at(-1)).toMatchObject({
    kind: 'credentialChange',
    text: expect.stringContaining(`Signing in with ${attacked === 'link' ? 'a link' : 'the password'} is blocked`),
  });
  // Further sign-ins with the attacked factor do not end the owner's sign-in, which began earlier with the other
  // factor.
  for (let i = 0; i < 7; i += 1) await begin(attacked);
  expect((await owner.post('/sign-in/code', { code: code() })).status).toBe(303);
});

async function limitEntries() {
  const sql = `select actor, address, details::json as details from audit_log
               where organization_id = $1 and action = 'user.code_limit_reached'`;
  return tables.transaction({ organizationId }, (tx) => tx.query(sql, [organizationId]));
}

test('the code of a sign-in must be entered within ten minutes', async () => {
  const { code } = await withFactor();
  const [early, late] = [newBrowser(), newBrowser()];
  await openLink(early);
  await openLink(late);
  later(10 * MINUTE_MS - 1);
  expect((await early.post('/sign-in/code', { code: code() })).status).toBe(303);
  later(STEP_MS);
  const page = await late.post('/sign-in/code', { code: code() });
  expect(page).toMatchObject({ status: 422, text: expect.stringContaining('took too long') });
});

test('sign-ins that await a code do not count toward the session limit, and at most ten are stored', async () => {
  const { browser } = await withFactor();
  for (let i = 0; i < 51; i += 1) await openLink(newBrowser());
  expect(await isSignedIn(browser)).toBe(true);
  const [row] = await tables.transaction('every organization', (tx) =>
    tx.query<{ count: number }>(
      'select count(*) from session s join app_user u on u.id = s.user_id where s.awaits_code and u.email = $1',
      [email],
    ),
  );
  expect(row?.count).toBe(10);
});

test('a new second factor has no effect before the first code from the app is entered', async () => {
  const browser = newBrowser();
  await openLink(browser);
  await browser.post('/account/second-factor/start');
  expect((await browser.post('/account/second-factor/enable', { code: '000000' })).status).toBe(422);
  expect(await openLink(newBrowser())).toMatchObject({ location: '/account' });
});

test('the setup of a second factor must be completed within 15 minutes', async () => {
  const browser = newBrowser();
  await openLink(browser);
  await browser.post('/account/second-factor/start');
  const secret = secretIn(await browser.visit('/account/second-factor'));
  later(15 * MINUTE_MS);
  expect(await browser.visit('/account/second-factor')).toMatchObject({ status: 303, location: '/account' });
  await browser.post('/account/second-factor/enable', { code: codeAt(secret, stepAt(now)) });
  expect(await openLink(newBrowser())).toMatchObject({ location: '/account' });
});

test('setting up another second factor does not replace an enabled one', async () => {
  const { browser, code } = await withFactor();
  await browser.post('/account/second-factor/start');
  expect(await browser.visit('/account/second-factor')).toMatchObject({ status: 303, location: '/account' });
  const other = newBrowser();
  await openLink(other);
  expect((await other.post('/sign-in/code', { code: code() })).status).toBe(303);
});

test('from 15 minutes after signing in, changes to the second factor need the current password', async () => {
  const { browser, recoveryCodes } = await withFactor();
  later(15 * MINUTE_MS);
  for (const action of ['codes', 'remove']) {
    expect((await browser.post(`/account/second-factor/${action}`, { current: 'wrong' })).status).toBe(422);
  }
  const renewed = recoveryCodesIn(await browser.post('/account/second-factor/codes', { current: PASSWORD }));
  expect(renewed).toHaveLength(10);
  expect(renewed.filter((code) => recoveryCodes.includes(code))).toEqual([]);
  const other = newBrowser();
  await openLink(other);
  expect((await other.post('/sign-in/code', { code: recoveryCodes[0] ?? '' })).status).toBe(422);
  const removed = await browser.post('/account/second-factor/remove', { current: PASSWORD });
  expect(removed.location).toBe('/account?done=factor_removed');
  expect((await openLink(newBrowser())).location).toBe('/account');
});

test('the operator removes the second factor of a user who lost it', async () => {
  await withFactor();
  const { admin } = clientsOf(identity, 'admin');
  await admin.removeSecondFactor({ email });
  expect((await openLink(newBrowser())).location).toBe('/account');
  await expect(admin.removeSecondFactor({ email })).rejects.toMatchObject({ message: 'second factor not found' });
  await expect(admin.removeSecondFactor({ email: 'no@example.com' })).rejects.toMatchObject({
    message: 'user not found',
  });
  await eventually(() => expect(fixture.sent.at(-1)).toMatchObject({ to: email, kind: 'credentialChange' }));
  const sql = 'select action, actor from audit_log where organization_id = $1 order by id';
  const audit = await tables.transaction({ organizationId }, (tx) => tx.query(sql, [organizationId]));
  expect(audit).toContainEqual({ action: 'user.second_factor_enabled', actor: email });
  expect(audit).toContainEqual({ action: 'user.second_factor_removed', actor: 'service:admin' });
});

test('the database contains secrets of authenticator apps only in sealed form, and no recovery codes', async () => {
  const { recoveryCodes } = await withFactor();
  const rows = await tables.transaction('every organization', async (tx) => [
    ...(await tx.query('select * from user_totp')),
    ...(await tx.query("select encode(code_hash, 'hex') as hash from recovery_code")),
  ]);
  expect(rows.length).toBeGreaterThan(10);
  for (const code of recoveryCodes) {
    const compact = code.replaceAll('-', '');
    for (const form of [code, compact, compact.toUpperCase()]) expect(JSON.stringify(rows)).not.toContain(form);
  }
  for (const row of rows) if ('sealed_secret' in row) expect(row.sealed_secret).toMatch(/^v1\.k[12]\./);
});

test('after a vault key is added, the secrets of authenticator apps are sealed with the new key and still work', async () => {
  const { code } = await withFactor();
  const rotated = await fixture.start({ now: () => now, vaultKeys: `${generateVaultKey('k2')},${fixture.vaultKey}` });
  await eventually(async () => {
    const rows = await tables.transaction('every organization', (tx) =>
      tx.query('select sealed_secret from user_totp'),
    );
    expect(rows.filter(({ sealed_secret: sealed }) => !String(sealed).startsWith('v1.k2.'))).toEqual([]);
  });
  const browser = new Browser(rotated, '198.51.100.99');
  const { url } = await clientsOf(rotated, 'admin').admin.createSignInLink({ email });
  await browser.post(pathOf(url));
  expect((await browser.post('/sign-in/code', { code: code() })).status).toBe(303);
});
