import { afterAll, beforeEach, expect, test } from 'vitest';
import { deleteOld } from '../src/app/delete-old.ts';
import { Browser, pathOf } from './browser.ts';
import { BASE_URL, clientsOf, identityFixture } from './start-identity.ts';

const START = new Date('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;

let now = START;
const fixture = await identityFixture();
const identity = await fixture.start({ now: () => now });
const tables = await fixture.openTables();
afterAll(() => fixture[Symbol.asyncDispose]());

const { admin } = clientsOf(identity, 'admin');
let users = 0;
let email: string;
beforeEach(async () => {
  now = START;
  users += 1;
  email = `jane.${users}@example.com`;
  await admin.createOrganization({ name: 'Acme', ownerEmail: email });
});

const newBrowser = () => new Browser(identity, `198.51.100.${users}`);
const query = (sql: string, ...values: unknown[]) =>
  tables.transaction('every organization', (tx) => tx.query<Record<string, unknown>>(sql, values));

async function signIn(): Promise<Browser> {
  const browser = newBrowser();
  const { url } = await admin.createSignInLink({ email });
  expect((await browser.post(pathOf(url))).status).toBe(303);
  return browser;
}

const creationOptions = async (browser: Browser) =>
  JSON.parse((await browser.post('/account/passkeys/options')).text).options;

/** Inserts a passkey of the current user, and returns its id. */
async function insertPasskey(name: string): Promise<string> {
  const [row] = await query(
    `insert into passkey (id, user_id, name, credential_id, public_key, counter, transports, created_at)
     select gen_random_uuid(), id, $2, gen_random_uuid(), '', 0, '{}', $3 from app_user where email = $1 returning id`,
    email,
    name,
    now,
  );
  return String(row?.id);
}

const names = async () =>
  (
    await query(
      'select p.name from passkey p join app_user u on u.id = p.user_id where u.email = $1 order by p.name',
      email,
    )
  ).map(({ name }) => name);

test('the options ask for a discoverable passkey with a verified user and without attestation', async () => {
  await insertPasskey('known');
  const options = await creationOptions(await signIn());
  expect(options).toMatchObject({
    rp: { id: new URL(BASE_URL).hostname },
    user: { name: email },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id: expect.any(String) }],
  });
  const signingIn = JSON.parse((await newBrowser().post('/sign-in/passkey/options')).text).options;
  expect(signingIn).toMatchObject({ rpId: new URL(BASE_URL).hostname, userVerification: 'required' });
  // The options name no passkeys, so they reveal nothing about users.
  expect(signingIn.allowCredentials).toBeUndefined();
});

test.each(['', 'null', '{}', '{"id":"x"}', '{"id":"x","response":{"clientDataJSON":"x"}}', 'x'.repeat(10_000)])(
  'the invalid passkey response %s is refused for signing in and for adding a passkey',
  async (response) => {
    const page = await newBrowser().post('/sign-in/passkey', { response });
    expect(page).toMatchObject({ status: 422, text: expect.stringContaining('The passkey was not accepted') });
    const added = await (await signIn()).post('/account/passkeys', { response, name: 'My phone' });
    expect(added).toMatchObject({ status: 422, text: expect.stringContaining('The passkey was not accepted') });
    expect(await names()).toEqual([]);
  },
);

test('a signature that names a known passkey but was made with another key is refused, and uses up the challenge', async () => {
  const id = await insertPasskey('known');
  const [row] = await query('select credential_id from passkey where id = $1', id);
  const browser = newBrowser();
  const { options } = JSON.parse((await browser.post('/sign-in/passkey/options')).text);
  const clientData = { type: 'webauthn.get', challenge: options.challenge, origin: BASE_URL };
  const encode = (value: string) => Buffer.from(value).toString('base64url');
  const response = JSON.stringify({
    id: row?.credential_id,
    rawId: row?.credential_id,
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: encode(JSON.stringify(clientData)), authenticatorData: encode('x'), signature: '' },
  });
  const waiting = async () => (await query('select from passkey_challenge where user_id is null')).length;
  const before = await waiting();
  expect((await browser.post('/sign-in/passkey', { response })).status).toBe(422);
  expect(await waiting()).toBe(before - 1);
});

test('a user has at most 20 passkeys', async () => {
  for (let index = 0; index < 19; index += 1) await insertPasskey(`${index}`);
  const browser = await signIn();
  expect(await creationOptions(browser)).toBeDefined();
  await insertPasskey('last');
  const refused = await browser.post('/account/passkeys/options');
  expect(refused.status).toBe(422);
  expect(JSON.parse(refused.text).problem).toBe('You have 20 passkeys. Remove one first.');
});

test.each(['', 'x'.repeat(101), 'two\nlines'])('the passkey name "%s" is refused', async (name) => {
  const id = await insertPasskey('phone');
  const browser = await signIn();
  expect((await browser.post(`/account/passkeys/${id}/name`, { name })).status).toBe(422);
  expect((await browser.post('/account/passkeys', { name, response: '{}' })).text).toContain('The name ');
  expect(await names()).toEqual(['phone']);
});

test('the name of a passkey may have 100 characters', async () => {
  const id = await insertPasskey('phone');
  await (await signIn()).post(`/account/passkeys/${id}/name`, { name: 'x'.repeat(100) });
  expect(await names()).toEqual(['x'.repeat(100)]);
});

test('a user cannot rename or remove a passkey of another user', async () => {
  const id = await insertPasskey('phone');
  const victim = email;
  users += 1;
  email = `mallory.${users}@example.com`;
  await admin.createOrganization({ name: 'Other', ownerEmail: email });
  const mallory = await signIn();
  await mallory.post(`/account/passkeys/${id}/name`, { name: 'mine' });
  await mallory.post(`/account/passkeys/${id}/remove`);
  await mallory.post('/account/passkeys/nonsense/remove');
  email = victim;
  expect(await names()).toEqual(['phone']);
});

test('adding or removing passkeys needs a fresh sign-in or the password', async () => {
  const id = await insertPasskey('phone');
  const browser = await signIn();
  now = new Date(START.getTime() + 15 * MINUTE_MS);
  expect((await browser.post('/account/passkeys/options')).status).toBe(422);
  expect((await browser.post(`/account/passkeys/${id}/remove`)).status).toBe(422);
  expect(await names()).toEqual(['phone']);
});

test('at most 60 sign-ins with passkeys can begin from one network in 15 minutes', async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 61; index += 1) {
    statuses.push((await newBrowser().post('/sign-in/passkey/options')).status);
  }
  expect(statuses).toEqual([...Array(60).fill(200), 429]);
});

test('challenges are deleted when they expire', async () => {
  await newBrowser().post('/sign-in/passkey/options');
  const count = async () => (await query('select from passkey_challenge where expires_at > $1', START)).length;
  await deleteOld({ database: tables, now: () => new Date(START.getTime() + 5 * MINUTE_MS) });
  expect(await count()).toBeGreaterThan(0);
  await deleteOld({ database: tables, now: () => new Date(START.getTime() + 5 * MINUTE_MS + 1) });
  expect(await count()).toBe(0);
});
