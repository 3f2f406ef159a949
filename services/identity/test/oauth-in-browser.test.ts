import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { afterAll, expect, test } from 'vitest';
import { expectAccessible, launchChromium, tabTo } from './in-chromium.ts';
import { authorization, oauthFixture } from './oauth-fixture.ts';
import { BASE_URL, clientsOf } from './start-identity.ts';

const oauth = await oauthFixture();
const { admin } = clientsOf(oauth.identity, 'admin');
await oauth.createOrganization('Globex', 'jane@example.com');

/** Listens like a command-line client that waits for its code. */
const callback = createServer((_request, response) => void response.end('Done'));
const callbackPort = await listen(callback, '127.0.0.1', 0);
const callbackOverIpv6 = createServer((request, response) => callback.emit('request', request, response));
const ipv6Port = await listen(callbackOverIpv6, '::1', 0).catch(() => undefined);

const chrome = await launchChromium(oauth.identity);
afterAll(async () => {
  await chrome[Symbol.asyncDispose]();
  callback.close();
  callbackOverIpv6.close();
  await oauth[Symbol.asyncDispose]();
});

/** Signs Jane in, and returns the cookies of the browser. */
async function signIn() {
  await using opened = await chrome.open();
  const { url } = await admin.createSignInLink({ email: 'jane@example.com' });
  await opened.page.goto(url);
  await opened.page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await opened.page.waitForURL(`${BASE_URL}/account`);
  return await opened.context.storageState();
}

const storageState = await signIn();

/** Opens a page of a browser in which Jane is signed in. */
const openPage = () => chrome.open({ storageState });

const authorizeUrl = (changes: Readonly<Record<string, string>> = {}) => {
  const { verifier, query } = authorization({ redirect_uri: `http://127.0.0.1:${callbackPort}/callback`, ...changes });
  return { verifier, url: `${BASE_URL}/oauth/authorize?${query}` };
};

async function newUserCode(): Promise<string> {
  const { body } = await oauth.post('/oauth/device/code', { client_id: 'tocsin-cli', scope: 'monitors:read' });
  return String(body.user_code);
}

test('a user allows access with the keyboard, and the client gets a code', async () => {
  await using opened = await openPage();
  const { page, errors } = opened;
  const { verifier, url } = authorizeUrl({ scope: 'monitors:read incidents:read' });
  await page.goto(url);
  // Tab goes to the first of the organizations, and an arrow key to the next one.
  await tabTo(page, 'Acme');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'incidents:read');
  await page.keyboard.press('Space');
  await tabTo(page, 'Allow access');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/callback\?/);
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const { body } = await oauth.exchangeCode(code, verifier, {
    redirect_uri: `http://127.0.0.1:${callbackPort}/callback`,
  });
  expect(body).toMatchObject({ scope: 'monitors:read' });
  const { organization } = await clientsOf(oauth.identity, 'gateway').identity.exchangeCredential({
    secret: String(body.access_token),
    audiences: ['monitor'],
  });
  expect(organization).toMatchObject({ name: 'Globex' });
  expect(errors).toEqual([]);
});

test('a user denies access, and the client gets the error access_denied', async () => {
  await using opened = await openPage();
  const { page, errors } = opened;
  await page.goto(authorizeUrl().url);
  // The choice of an organization is required only for allowing access.
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(/\/callback\?/);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  expect(errors).toEqual([]);
});

test.runIf(ipv6Port)('the browser follows the redirect to an IPv6 address', async () => {
  await using opened = await openPage();
  const { page, errors } = opened;
  await page.goto(authorizeUrl({ redirect_uri: `http://[::1]:${ipv6Port}/callback` }).url);
  const [arrived] = await Promise.all([once(callback, 'request'), page.getByRole('button', { name: 'Deny' }).click()]);
  expect(arrived).toBeDefined();
  expect(errors).toEqual([]);
});

test('a visitor signs in with a password first and then decides', async () => {
  await oauth.createOrganization('Initech', 'ida@example.com');
  const password = 'correct horse battery staple';
  await (await oauth.signIn('ida@example.com')).post('/account/password', { password });
  await using opened = await chrome.open();
  const { page, errors } = opened;
  const { url } = authorizeUrl();
  await page.goto(url);
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  expect(new URL(page.url()).searchParams.get('next')).toBe(url.slice(BASE_URL.length));
  await page.getByLabel('Mail address').fill('ida@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // A page between the sign-in form and the consent page redirects automatically.
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL(/\/callback\?/);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  expect(errors).toEqual([]);
});

test('a user enters the code of a device and allows access with the keyboard', async () => {
  await using opened = await openPage();
  const { page, errors } = opened;
  await page.goto(`${BASE_URL}/oauth/device`);
  const code = await newUserCode();
  // The code field gets the focus only after the page has loaded. Keys that are pressed before that would be lost.
  await page.locator('input[name=user_code]:focus').waitFor();
  await page.keyboard.type(code.toLowerCase());
  await page.keyboard.press('Enter');
  await page.getByText(code).waitFor();
  await tabTo(page, 'Acme');
  await page.keyboard.press('Space');
  await tabTo(page, 'Allow access');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Access allowed' }).waitFor();
  expect(errors).toEqual([]);
});

const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  consent: async () => authorizeUrl({ scope: '' }).url,
  'consent of a client that registered itself': async () => {
    const { body } = await oauth.post(
      '/oauth/register',
      { client_name: 'A tool with a name that is longer than usual', redirect_uris: ['https://tool.example.com/back'] },
      { json: true },
    );
    return authorizeUrl({ client_id: String(body.client_id), redirect_uri: 'https://tool.example.com/back' }).url;
  },
  'device code': async () => `${BASE_URL}/oauth/device`,
  'unknown code': async () => `${BASE_URL}/oauth/device?user_code=BCDF-GHJK`,
  device: async () => `${BASE_URL}/oauth/device?user_code=${await newUserCode()}`,
  programs: async () => {
    await oauth.tokensOf(oauth.jane, oauth.organizationId, ['monitors:read', 'incidents:read_write']);
    return `${BASE_URL}/account/programs`;
  },
  'programs of members': async () => {
    await oauth.tokensOf(oauth.jane, oauth.organizationId, ['monitors:read', 'incidents:read_write']);
    return `${BASE_URL}/account/organizations/${oauth.organizationId}/programs`;
  },
  error: async () => authorizeUrl({ client_id: 'nobody' }).url,
};

test.each(Object.keys(PAGES))('the page "%s" is accessible at two widths in both themes', async (name) => {
  await using opened = await openPage();
  const { page, errors } = opened;
  await page.goto((await PAGES[name]?.()) ?? '');
  await expectAccessible(page, name);
  expect(errors).toEqual([]);
});
