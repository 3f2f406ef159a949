import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailServer } from '../../services/notifier/test/start-mail-server.ts';
import { createApi } from '../api.ts';
import { type Network, startNetwork } from '../network.ts';
import { Visitor } from '../visitor.ts';
import { admin } from './admin.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let mails: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  mails = stack.use(await startMailServer());
  network = stack.use(await startNetwork({ TOCSIN_SMTP_URL: mails.url, TOCSIN_MAIL_FROM: 'tocsin@example.com' }));
});
afterAll(() => stack.disposeAsync());

/** Runs an operator command and returns its output. */
async function run<Printed>(...args: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await admin(network.dataDir, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Returns the link with this label in the newest email to an address. */
const linkTo = (address: string, label: string) =>
  eventually(() => {
    const link = new RegExp(`${label}: (\\S+)`).exec(mails.to(address).at(-1)?.text ?? '')?.[1];
    expect(link).toMatch(new RegExp(`^${network.baseUrl}/`));
    return link ?? '';
  });

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

test('a new owner signs in by mail and invites an admin by mail, who creates an API key and is then removed', async () => {
  const owner = 'jane@example.com';
  const { organization } = await run<{ organization: { uuid: string } }>(
    ...['org', 'create', '--name', 'Acme', '--owner-email', owner],
  );
  const path = `/account/organizations/${organization.uuid}`;

  const jane = new Visitor(network.baseUrl);
  const asked = await jane.post('/sign-in', form({ email: owner, by: 'link', next: `${path}/members` }));
  expect(asked).toMatchObject({ status: 303, location: `${network.baseUrl}/sign-in/sent` });
  const entered = await jane.post(await linkTo(owner, 'Sign in'));
  expect(entered).toMatchObject({ status: 303, location: `${network.baseUrl}${path}/members` });

  const guest = 'kim@example.com';
  await jane.post(`${path}/members/invite`, form({ email: guest, role: 'admin' }));
  const kim = new Visitor(network.baseUrl);
  const invitation = await linkTo(guest, 'Open the invitation');
  expect((await kim.get(invitation)).text).toContain('Join Acme');
  expect((await kim.post(invitation)).location).toBe(`${network.baseUrl}${path}/members`);

  const created = await kim.post(
    `${path}/api-keys`,
    form({ name: 'deploy', permission: 'audit_log:read', lifetime: '30' }),
  );
  const key = /tocsin_\w{49}/.exec(created.text)?.[0] ?? '';
  const api = createApi(network.baseUrl, key);
  expect(await api.get('/me')).toMatchObject({ organization: { name: 'Acme' }, credential: { name: 'deploy' } });
  const entries = await api.get<{ action: string; actor: string; address: string | null }[]>('/audit-log');
  expect(entries.map(({ action, actor, address }) => [action, actor, address])).toEqual([
    ['api_key.created', guest, '127.0.0.1'],
    ['user.signed_in', guest, '127.0.0.1'],
    ['member.joined', guest, '127.0.0.1'],
    ['member.invited', owner, '127.0.0.1'],
    ['user.signed_in', owner, '127.0.0.1'],
    ['organization.created', 'service:admin', null],
  ]);

  const listed = await run<{ members: { email: string; role: string }[] }>(
    'member',
    'list',
    '--org',
    organization.uuid,
  );
  expect(listed.members.map(({ email, role }) => [email, role])).toEqual([
    [owner, 'owner'],
    [guest, 'admin'],
  ]);
  await run('member', 'remove', '--org', organization.uuid, '--email', guest);
  expect((await kim.get(`${path}/members`)).status).toBe(404);
  // The key belongs to the organization, so it still works after the removal of the admin who created it.
  expect(await api.get('/me')).toMatchObject({ credential: { name: 'deploy' } });
});

test('the operator adds a member and changes their role, but cannot remove the last owner', async () => {
  const { organization } = await run<{ organization: { uuid: string } }>(
    ...['org', 'create', '--name', 'Globex', '--owner-email', 'olga@example.com'],
  );
  const add = (role: string) =>
    run('member', 'add', '--org', organization.uuid, '--email', 'max@example.com', '--role', role);
  expect(await add('member')).toMatchObject({ email: 'max@example.com', role: 'member' });
  expect(await add('admin')).toMatchObject({ email: 'max@example.com', role: 'admin' });
  const refused = await admin(
    network.dataDir,
    ...['member', 'remove', '--org', organization.uuid, '--email', 'olga@example.com'],
  );
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Refused: An organization needs an owner. Make another member an owner first.\n',
  });
});
