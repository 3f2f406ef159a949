import { eventually } from '@tocsin/testing';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { codeAt, stepAt } from '../src/app/totp.ts';
import { expectAccessible, launchChromium, secretOn, tabTo } from './in-chromium.ts';
import { clientsOf, identityFixture } from './start-identity.ts';

// Browsers offer passkeys on https pages, and on http pages of localhost.
const BASE_URL = 'http://tocsin.localhost';
const PASSWORD = 'correct horse battery staple';

const fixture = await identityFixture();
const identity = await fixture.start({ baseUrl: BASE_URL });
const tables = await fixture.openTables();
const chrome = await launchChromium(identity);
afterAll(async () => {
  await chrome[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const { admin } = clientsOf(identity, 'admin');
let users = 0;

/** Opens a browser that has an authenticator, and signs in a new user. */
async function openBrowser({ isUserVerified = true } = {}) {
  users += 1;
  const email = `user.${users}@example.com`;
  const organizationId = (await admin.createOrganization({ name: 'Acme', ownerEmail: email })).organization?.id ?? '';
  const browser = await chrome.open();
  const { page, context } = browser;
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto((await admin.createSignInLink({ email })).url);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${BASE_URL}/account`);
  return { ...browser, email, organizationId, session, authenticatorId };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the new passkey').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey was added').waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

const signInWithPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click();
const changesOf = (to: string) => fixture.sent.filter((mail) => mail.to === to).map(({ text }) => text);
const actions = async (organizationId: string) =>
  (
    await tables.transaction({ organizationId }, (tx) =>
      tx.query<{ action: string; details: string }>(
        'select action, details from audit_log where organization_id = $1 order by id',
        [organizationId],
      ),
    )
  ).map(({ action, details }) => `${action} ${details}`);

test('a user adds a passkey, signs in with it without a code, renames and removes it', async () => {
  await using browser = await openBrowser();
  const { page, email, organizationId, errors } = browser;
  await addPasskey(page, 'My phone');
  await eventually(() =>
    expect(changesOf(email)).toContain('The passkey “My phone” was added: you can sign in with it.'),
  );
  await expectAccessible(page, 'account with a passkey');

  await signOut(page);
  await expectAccessible(page, 'sign in with a passkey');
  await signInWithPasskey(page);
  await page.waitForURL(`${BASE_URL}/account`);
  await page.getByText('last used').first().waitFor();

  await page.locator('summary', { hasText: 'Rename or remove' }).click();
  await expectAccessible(page, 'forms of a passkey');
  await page.getByLabel('Name', { exact: true }).fill('Old phone');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByText('The passkey was renamed').waitFor();
  await page.locator('summary', { hasText: 'Rename or remove Old phone' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The passkey was removed').waitFor();
  await eventually(() => expect(changesOf(email)).toContainEqual(expect.stringContaining('“Old phone” was removed')));

  await signOut(page);
  await signInWithPasskey(page);
  await page.getByText('The passkey was not accepted').waitFor();
  expect(await actions(organizationId)).toEqual(
    expect.arrayContaining([
      'user.passkey_added {"name":"My phone"}',
      'user.signed_in {"with":"passkey"}',
      'user.passkey_removed {"name":"Old phone"}',
    ]),
  );
  expect(errors).toEqual([]);
});

test('a user who uses only the keyboard can sign in with a passkey in place of a second-factor code', async () => {
  await using browser = await openBrowser();
  const { page, email, errors } = browser;
  await addPasskey(page, 'My phone');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('Your password was changed').waitFor();
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByLabel('Code that the app shows').fill(codeAt(await secretOn(page), stepAt(new Date())));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('link', { name: 'Done' }).click();
  await signOut(page);

  await page.getByLabel('Mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await page.goto(`${BASE_URL}/account`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto(`${BASE_URL}/sign-in/code`);
  await expectAccessible(page, 'code or passkey');
  await tabTo(page, 'Sign in with a passkey');
  await page.keyboard.press('Enter');
  await page.getByText('Unused recovery codes: 10').waitFor();
  expect(errors).toEqual([]);
});

test('a passkey is refused if the authenticator did not verify its user', async () => {
  await using browser = await openBrowser({ isUserVerified: false });
  const { page } = browser;
  await page.getByLabel('Name of the new passkey').fill('My phone');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey was not used. Try again.').waitFor();
  await page.reload();
  expect(await page.getByText('Rename or remove').count()).toBe(0);
});

test('a signature works once, and an authenticator whose counter has not grown is refused', async () => {
  await using browser = await openBrowser();
  const { page, session, authenticatorId } = browser;
  await addPasskey(page, 'My phone');
  await signOut(page);
  const sent = page.waitForRequest(`${BASE_URL}/sign-in/passkey`);
  const [copy] = (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  await signInWithPasskey(page);
  const form = (await sent).postData() ?? '';
  await page.waitForURL(`${BASE_URL}/account`);
  expect(await post(page, '/sign-in/passkey', form)).toBe(422);

  if (!copy) throw new Error('the authenticator has no passkey');
  await replaceCredential(session, authenticatorId, copy);
  await signOut(page);
  await signInWithPasskey(page);
  await page.getByText('The passkey was not accepted').waitFor();
});

/** Puts an earlier copy of a passkey back on an authenticator. */
async function replaceCredential(
  session: CDPSession,
  authenticatorId: string,
  credential: Parameters<typeof session.send<'WebAuthn.addCredential'>>[1] extends { credential: infer C } | undefined
    ? C
    : never,
): Promise<void> {
  await session.send('WebAuthn.clearCredentials', { authenticatorId });
  await session.send('WebAuthn.addCredential', { authenticatorId, credential });
}

/** Sends a form as the page of the installation does, and returns the status. */
function post(page: Page, path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = JSON.stringify({ method: 'POST', headers, body, redirect: 'manual' });
  return page.evaluate<number>(`fetch(${JSON.stringify(path)}, ${request}).then(({ status }) => status)`);
}
