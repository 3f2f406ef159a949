import { AccountMailService } from '@tocsin/proto/notifier/v1/account_mail';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { confirmRecipients } from './confirm-recipients.ts';
import { startMailServer } from './start-mail-server.ts';
import { BASE_URL, notifierFixture } from './start-notifier.ts';

const mails = await startMailServer();
const fixture = await notifierFixture({ smtpUrl: mails.url });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});
beforeEach(() => mails.response(undefined));

const client = createRpcClient(AccountMailService, createTransport({ url: fixture.url, service: 'notifier' }));
const SECRET = 's3cret-of-a-link';
const signIn = { case: 'signIn', value: { url: `${BASE_URL}/sign-in/link/${SECRET}` } } as const;

test('a sign-in link from identity is sent by email, but not stored or logged', async () => {
  await client.sendAccountMail({ to: 'jane@example.com', content: signIn }, await fixture.asService('identity'));
  const [mail] = mails.to('jane@example.com');
  expect(mail?.text).toContain(`Sign in: ${BASE_URL}/sign-in/link/${SECRET}`);
  expect(mail?.headers['auto-submitted']).toBe('auto-generated');
  const [tables] = await fixture.query<{ all: string }>(
    `select string_agg(query_to_xml(format('select * from %I', table_name), true, false, '')::text, '') as all
     from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  expect(tables?.all).toContain('<executed_at>');
  expect(tables?.all).not.toContain(SECRET);
  expect(fixture.logged.length).toBeGreaterThan(0);
  expect(fixture.logged.join('')).not.toContain(SECRET);
});

test('sign-in links do not wait for the emails of organizations that the mail server does not respond to', async () => {
  mails.hold(true);
  try {
    const acme = v7();
    const recipients = Array.from({ length: 30 }, () => `held.${v7()}@example.com`);
    await confirmRecipients(fixture, acme, recipients);
    const channel = await fixture.createChannel(acme, { recipients }, 'email');
    // The same replica sends both.
    const tested = fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme)).catch(() => undefined);
    const held = () => recipients.filter((recipient) => mails.to(recipient).length > 0);
    await eventually(() => expect(held()).toHaveLength(4));
    await client.sendAccountMail({ to: 'mia@example.com', content: signIn }, await fixture.asService('identity'));
    expect(mails.to('mia@example.com')).toHaveLength(1);
    expect(held()).toHaveLength(4);
    mails.hold(false);
    await tested;
  } finally {
    mails.hold(false);
  }
});

test('an invitation names the organization and the inviting user', async () => {
  const value = { url: `${BASE_URL}/invitations/t`, organizationName: 'Acme', invitedBy: 'jane@example.com' };
  const content = { case: 'invitation', value } as const;
  await client.sendAccountMail({ to: 'kim@example.com', content }, await fixture.asService('identity'));
  expect(mails.to('kim@example.com')[0]?.text).toMatch(/Join Acme[\s\S]*jane@example\.com invites you/);
});

test('a changed credential is reported to the user', async () => {
  const content = { case: 'credentialChange', value: { change: 'Your password was changed.' } } as const;
  await client.sendAccountMail({ to: 'lee@example.com', content }, await fixture.asService('identity'));
  expect(mails.to('lee@example.com')[0]?.text).toContain('Your password was changed.');
});

test('when an address changes, the new address gets a confirmation link, and the old one a link that undoes the change', async () => {
  const identity = await fixture.asService('identity');
  const confirmation = { url: `${BASE_URL}/account/email/c`, account: 'old@example.com' };
  const content = { case: 'emailConfirmation', value: confirmation } as const;
  await client.sendAccountMail({ to: 'new@example.com', content }, identity);
  expect(mails.to('new@example.com')[0]?.text).toMatch(
    /user old@example\.com wants[\s\S]*Confirm the address: \S+\/account\/email\/c/,
  );
  const changed = { undoUrl: `${BASE_URL}/account/email/undo/u`, newAddress: 'new@example.com' };
  await client.sendAccountMail({ to: 'old@example.com', content: { case: 'emailChanged', value: changed } }, identity);
  expect(mails.to('old@example.com')[0]?.text).toMatch(
    /now new@example\.com[\s\S]*Undo the change: \S+\/account\/email\/undo\/u/,
  );
});

test('owners get a notice about their organization', async () => {
  const value = { organizationName: 'Acme', notice: 'Acme will be deleted.', url: `${BASE_URL}/account/x` };
  const content = { case: 'organizationNotice', value } as const;
  await client.sendAccountMail({ to: 'owner@example.com', content }, await fixture.asService('identity'));
  const [mail] = mails.to('owner@example.com');
  expect(mail?.text).toMatch(/Acme will be deleted\.[\s\S]*Open the organization: \S+\/account\/x/);
});

test('only identity may send emails about accounts', async () => {
  const request = { to: 'jane@example.com', content: signIn };
  for (const service of ['gateway', 'monitor', 'admin']) {
    const call = client.sendAccountMail(request, await fixture.asService(service));
    await expect(call).rejects.toMatchObject({ kind: 'forbidden', message: 'only identity may call this method' });
  }
  const credential = await fixture.as('01920000-0000-7000-8000-000000000001');
  await expect(client.sendAccountMail(request, credential)).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(client.sendAccountMail(request)).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('the caller gets an error if the mail server does not accept an email', async () => {
  mails.response(451);
  const request = { to: 'jane@example.com', content: signIn };
  await expect(client.sendAccountMail(request, await fixture.asService('identity'))).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'the mail server did not accept the email',
  });
});

test('an account email with an invalid address or without content is refused', async () => {
  const call = async (request: Parameters<typeof client.sendAccountMail>[0]) =>
    client.sendAccountMail(request, await fixture.asService('identity'));
  await expect(call({ to: 'jane', content: signIn })).rejects.toMatchObject({
    kind: 'invalid',
    fields: { to: ['must be a mail address such as jane@example.com'] },
  });
  await expect(call({ to: 'jane@example.com' })).rejects.toMatchObject({ fields: { content: ['is required'] } });
});
