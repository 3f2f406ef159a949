import { eventually } from '@tocsin/testing';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { codeAt, stepAt } from '../src/app/totp.ts';
import { expectAccessible, launchChromium, secretOn, tabTo } from './in-chromium.ts';
import { BASE_URL, clientsOf, identityFixture } from './start-identity.ts';

const fixture = await identityFixture();
const identity = await fixture.start();
const chrome = await launchChromium(identity);
afterAll(async () => {
  await chrome[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const { admin } = clientsOf(identity, 'admin');
const PASSWORD = 'correct horse battery staple';

const createOrganization = async (name: string, ownerEmail: string) =>
  (await admin.createOrganization({ name, ownerEmail })).organization?.id ?? '';

/** Returns the link in the last email of a kind to an address. */
const lastLink = (to: string, kind: 'signIn' | 'invitation' | 'emailConfirmation' | 'emailChanged') =>
  eventually(() => {
    const mail = fixture.sent.findLast((sent) => sent.to === to && sent.kind === kind);
    expect(mail).toBeDefined();
    return mail?.text ?? '';
  });

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto((await admin.createSignInLink({ email })).url);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${BASE_URL}/account`);
}

test('with only the keyboard, a person signs in with a link, sets a password and a second factor, and signs in with both', async () => {
  await createOrganization('Acme', 'kai@example.com');
  await using browser = await chrome.open();
  const { page, errors } = browser;
  const press = async (text: string, key = 'Enter') => {
    await tabTo(page, text);
    await page.keyboard.press(key);
  };

  await page.goto(`${BASE_URL}/account`);
  await tabTo(page, 'Mail address');
  await page.keyboard.type('kai@example.com');
  await press('Send me a link');
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await lastLink('kai@example.com', 'signIn'));
  await press('Sign in');
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();

  await tabTo(page, 'New password');
  await page.keyboard.type(PASSWORD);
  await press('Set password');
  await page.getByText('Your password was changed').waitFor();

  await press('Set up');
  await page.getByRole('heading', { name: 'Set up the second factor' }).waitFor();
  const secret = await secretOn(page);
  const used = stepAt(new Date());
  await tabTo(page, 'Code that the app shows');
  await page.keyboard.type(codeAt(secret, used));
  await press('Turn on');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  const [recoveryCode = ''] = await page.locator('.codes li').allTextContents();
  await press('Done');
  await page.getByText('Unused recovery codes: 10').waitFor();

  await press('Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tabTo(page, 'Mail address');
  await page.keyboard.type('kai@example.com');
  await tabTo(page, 'Password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await tabTo(page, 'Code');
  await page.keyboard.type(recoveryCode);
  await page.keyboard.press('Enter');
  await page.getByText('Unused recovery codes: 9').waitFor();
  expect(errors).toEqual([]);
});

test('an owner invites a person, who joins in another browser', async () => {
  const id = await createOrganization('Globex', 'owner@example.com');
  await using owner = await chrome.open();
  await signIn(owner.page, 'owner@example.com');
  await owner.page.getByRole('link', { name: 'Globex' }).click();
  await owner.page.getByLabel('Mail address').fill('noa@example.com');
  await owner.page.getByLabel('Role', { exact: true }).selectOption('admin');
  await owner.page.getByRole('button', { name: 'Send the invitation' }).click();
  await owner.page.getByText('The invitation is on its way').waitFor();

  await using invited = await chrome.open();
  await invited.page.goto(await lastLink('noa@example.com', 'invitation'));
  await invited.page.getByRole('button', { name: 'Join Globex' }).click();
  await invited.page.waitForURL(`${BASE_URL}/account/organizations/${id}/members`);
  expect(await invited.page.locator('.list li').first().textContent()).toContain('owner@example.com');

  await owner.page.reload();
  await owner.page.locator('summary', { hasText: 'noa@example.com' }).click();
  await owner.page.getByRole('button', { name: 'Remove', exact: true }).click();
  await owner.page.getByText('The member was removed').waitFor();
  await invited.page.reload();
  await invited.page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
  expect([...owner.errors, ...invited.errors]).toEqual([]);
});

/** Functions that open each page in a browser in which the owner of an organization is signed in. */
const PAGES: Readonly<Record<string, (page: Page, organizationId: string) => Promise<void>>> = {
  'sign in': async (page) => {
    await page.context().clearCookies();
    await page.goto(`${BASE_URL}/sign-in`);
  },
  'sign in with a problem': async (page) => {
    await page.context().clearCookies();
    await page.goto(`${BASE_URL}/sign-in`);
    await page.getByLabel('Mail address').fill('zoe@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
  },
  'link sent': async (page) => void (await page.goto(`${BASE_URL}/sign-in/sent`)),
  'used link': async (page) => void (await page.goto(`${BASE_URL}/sign-in/link/x`)),
  'sign-in link': async (page) =>
    void (await page.goto((await admin.createSignInLink({ email: 'zoe@example.com' })).url)),
  'code of the second factor': async (page) => void (await page.goto(`${BASE_URL}/sign-in/code`)),
  account: async (page) => void (await page.goto(`${BASE_URL}/account?done=session`)),
  'new second factor': async (page) => {
    await page.goto(`${BASE_URL}/account`);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.locator('.qr').waitFor();
  },
  'recovery codes, and an account with a second factor': async (page) => {
    await page.goto(`${BASE_URL}/account`);
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = await secretOn(page);
    await page.getByLabel('Code that').fill(codeAt(secret, stepAt(new Date())));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.locator('.codes').waitFor();
    await expectAccessible(page, 'recovery codes');
    await page.goto(`${BASE_URL}/account`);
  },
  'change of the address': async (page, id) => {
    await page.goto(`${BASE_URL}/account`);
    await page.getByText('Change the address').click();
    await page.getByLabel('New mail address').fill(`new.address.of.${id}@example.com`);
    await expectAccessible(page, 'form for a new address');
    await page.getByRole('button', { name: 'Change address' }).click();
    await page.getByText('an email with a link is on its way').waitFor();
    await page.goto(await lastLink(`new.address.of.${id}@example.com`, 'emailConfirmation'));
    await expectAccessible(page, 'confirmation of a new address');
    await page.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText('Your mail address was changed').waitFor();
    await page.goto(await lastLink('owner.change.of.the.address@example.com', 'emailChanged'));
    await expectAccessible(page, 'undoing a change of the address');
    await page.getByRole('button', { name: 'Undo the change' }).click();
    await page.getByRole('heading', { name: 'The change was undone' }).waitFor();
  },
  'sign in with an organization, and a problem': async (page) => {
    await page.context().clearCookies();
    await page.goto(`${BASE_URL}/sign-in`);
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await expectAccessible(page, 'sign in with an organization');
    await page.getByLabel('Mail address').fill('zoe@example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
  },
  'settings, and a stopped organization': async (page, id) => {
    await page.goto(`${BASE_URL}/account/organizations/${id}/settings`);
    await page.getByLabel('Domain of mail addresses').fill('a-domain-with-a-long-name.department.example.com');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('The change was saved').waitFor();
    await expectAccessible(page, 'settings');
    await page.getByLabel('Name of the organization').fill('Acme Industries');
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByRole('button', { name: 'Cancel the deletion' }).waitFor();
  },
  'deletion of the account': async (page, id) => {
    const { email = '' } = (await admin.listMembers({ organizationId: id })).members[0] ?? {};
    await admin.addMember({ organizationId: id, email: 'second.owner@example.com', role: 'owner' });
    await page.goto(`${BASE_URL}/account`);
    await page.locator('summary', { hasText: 'Delete my account' }).click();
    await expectAccessible(page, 'form that deletes the account');
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
    await signIn(page, email);
    await page.getByRole('button', { name: 'Cancel the deletion' }).waitFor();
  },
  members: async (page, id) => {
    await admin.addMember({
      organizationId: id,
      email: `a.person.with.a.long.address@department.example.com`,
      role: 'admin',
    });
    await page.goto(`${BASE_URL}/account/organizations/${id}/members`);
    await page.getByLabel('Mail address').fill('guest@example.com');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('Open invitations').waitFor();
    await page.locator('summary').first().click();
  },
  'API keys': async (page, id) => {
    await page.goto(`${BASE_URL}/account/organizations/${id}/api-keys`);
    await page.getByLabel('Name').fill('Deployments');
    await page.getByLabel('Monitors').selectOption({ index: 2 });
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.locator('.secret').waitFor();
  },
  'no API keys, and a problem': async (page, id) => {
    await page.goto(`${BASE_URL}/account/organizations/${id}/api-keys`);
    await page.getByLabel('Name').fill('Deployments');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('alert').waitFor();
  },
  'invitation for another address': async (page, id) => {
    await page.goto(`${BASE_URL}/account/organizations/${id}/members`);
    const email = `guest.of.${id}@example.com`;
    await page.getByLabel('Mail address').fill(email);
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText('Open invitations').waitFor();
    await page.goto(await lastLink(email, 'invitation'));
  },
  'not found': async (page) => void (await page.goto(`${BASE_URL}/account/nothing`)),
};

test.each(Object.keys(PAGES))('the page "%s" is accessible at two widths in both themes', async (name) => {
  const email = `owner.${name.replace(/\W+/g, '.')}@example.com`;
  const id = await createOrganization('Acme Industries', email);
  if (name === 'sign-in link') await createOrganization('Other', 'zoe@example.com');
  await using browser = await chrome.open();
  await signIn(browser.page, email);
  await PAGES[name]?.(browser.page, id);
  await expectAccessible(browser.page, name);
  expect(browser.errors).toEqual([]);
});
