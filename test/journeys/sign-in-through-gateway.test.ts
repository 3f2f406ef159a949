import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../services/identity/test/in-chromium.ts';
import { CLIENT, startProvider } from '../../services/identity/test/start-provider.ts';
import { type Network, startNetwork } from '../network.ts';
import { admin } from './admin.ts';

/**
 * Signs in through the gateway. The gateway must pass on request headers, cookies, and the security policy of the
 * pages.
 */

// Browsers offer passkeys only on https pages and on http pages of localhost and its subdomains.
const BASE_URL = 'http://tocsin.localhost';

const stack = new AsyncDisposableStack();
let network: Network;
let chrome: Awaited<ReturnType<typeof launchChromium>>;
beforeAll(async () => {
  network = stack.use(await startNetwork({ TOCSIN_BASE_URL: BASE_URL }));
  chrome = stack.use(await launchChromium({ rpcPort: Number(new URL(network.baseUrl).port) }));
});
afterAll(() => stack.disposeAsync());

/** Signs a user in with a link from the operator. */
async function signIn(page: Page, email: string): Promise<void> {
  const { stdout } = await admin(network.dataDir, 'sign-in-link', '--email', email);
  await page.goto(JSON.parse(stdout).url);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${BASE_URL}/account`);
}

test('a user adds a passkey, and signs in with it', async () => {
  await using opened = await chrome.open();
  const { page, context, errors } = opened;
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await signIn(page, 'owner@localhost');
  await page.getByLabel('Name of the new passkey').fill('Laptop');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('The passkey was added').waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${BASE_URL}/account`);
  await page.getByText('Laptop').first().waitFor();
  expect(errors).toEqual([]);
});

test('an owner sets up a provider, and a new member joins through it', async () => {
  const created = await admin(network.dataDir, 'org', 'create', '--name', 'Acme', '--owner-email', 'jane@acme.example');
  const organizationId: string = JSON.parse(created.stdout).organization.uuid;
  const settings = `${BASE_URL}/account/organizations/${organizationId}/settings`;
  await using provider = await startProvider();
  provider.addRedirectUri(`${BASE_URL}/sign-in/organization/${organizationId}/callback`);

  await using owner = await chrome.open();
  await signIn(owner.page, 'jane@acme.example');
  await owner.page.goto(settings);
  await owner.page.getByLabel('Issuer').fill(provider.issuer);
  await owner.page.getByLabel('Client id').fill(CLIENT.client_id);
  await owner.page.getByLabel('Client secret').fill(CLIENT.client_secret);
  await owner.page.getByRole('button', { name: 'Save' }).click();
  await owner.page.getByText('The change was saved').waitFor();
  await owner.page.getByLabel('Domain of mail addresses').fill('acme.example');
  await owner.page.getByRole('button', { name: 'Add domain' }).click();
  await owner.page.getByText('_tocsin-sign-in.acme.example').waitFor();
  // The domain is marked as proven in the database, because no name server has its TXT record.
  const database = new pg.Client({ connectionString: network.installation.postgres?.url });
  await database.connect();
  await database.query('update identity.organization_domain set proven_at = now() where organization_id = $1', [
    organizationId,
  ]);
  await database.end();

  provider.signIn.user = { sub: 'kim', email: 'kim@acme.example', email_verified: true };
  await using member = await chrome.open();
  await member.page.goto(`${BASE_URL}/sign-in`);
  await member.page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await member.page.getByLabel('Mail address').fill('kim@acme.example');
  await member.page.getByRole('button', { name: 'Continue' }).click();
  await member.page.waitForURL(`${BASE_URL}/account`);
  await member.page.getByText('kim@acme.example').first().waitFor();
  await member.page.getByText('Acme').first().waitFor();
  expect([...owner.errors, ...member.errors]).toEqual([]);
});
