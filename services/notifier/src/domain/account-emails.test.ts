import { expect, test } from 'vitest';
import { accountEmail } from './account-emails.ts';
import { renderEmail } from './render-email.ts';

const BASE_URL = 'https://tocsin.example.com';

test('the email with a sign-in link names the installation and contains the link as text and as HTML', () => {
  const url = `${BASE_URL}/sign-in/link/s3cret`;
  const email = renderEmail(accountEmail({ kind: 'sign_in', url }, BASE_URL));
  expect(email.subject).toBe('Sign in to Tocsin at tocsin.example.com');
  expect(email.text).toContain(`Sign in: ${url}`);
  expect(email.html).toContain(`href="${url}"`);
});

test('an invitation names the organization and the inviting user, and markup in a name is escaped', () => {
  const mail = { url: `${BASE_URL}/invitations/t`, organizationName: '<b>Acme</b>', invitedBy: 'jane@example.com' };
  const email = renderEmail(accountEmail({ kind: 'invitation', ...mail }, BASE_URL));
  expect(email.subject).toBe('Join <b>Acme</b> on Tocsin');
  expect(email.text).toContain('jane@example.com invites you');
  expect(email.text).toContain(`Open the invitation: ${mail.url}`);
  expect(email.html).not.toContain('<b>Acme');
});

test('the email about a changed credential says what was changed, and links to the account', () => {
  const email = accountEmail({ kind: 'credential_change', change: 'Your password was changed.' }, BASE_URL);
  expect(email.paragraphs[0]).toBe('Your password was changed.');
  expect(email.action?.url).toBe(`${BASE_URL}/account`);
});
