import { createVault, generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sendConfirmations } from '../src/app/ask-recipients.ts';
import { deleteUnusedRecipients } from '../src/app/channel-recipients.ts';
import { createMailRecipients } from '../src/app/mail-recipients.ts';
import { type Mail, vaultContext } from '../src/app/ports.ts';
import { email } from '../src/channels/email/email.ts';
import { MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR, MAX_PENDING_RECIPIENTS } from '../src/domain/mail-recipient.ts';
import type { Outcome } from '../src/domain/outcome.ts';
import { notifierDatabase } from './notifier-database.ts';

const fixture = await notifierDatabase();
afterAll(() => fixture[Symbol.asyncDispose]());

const { database, query, logger } = fixture;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = new Date('2026-01-01T10:10:00Z').getTime();
const DELIVERED: Outcome = { kind: 'delivered', httpStatus: undefined };
const FAILED: Outcome = { kind: 'failed', error: 'no response', httpStatus: undefined };

let ahead = 0;
let outcome: Outcome = DELIVERED;
let sent: string[] = [];
beforeEach(async () => {
  ahead = 0;
  outcome = DELIVERED;
  sent = [];
  for (const table of ['mail_recipient', 'mail_count', 'channel']) await query(`delete from ${table}`);
});

const now = () => new Date(START + ahead);
const vault = createVault(parseVaultKeys(generateVaultKey('k1')));
const link = async () => 'https://tocsin.example.com/m/1';
const mailLinks = { confirm: link, unsubscribe: link, read: async () => undefined };
const mailRecipients = createMailRecipients({ database, vault, now, logger, links: mailLinks });
const organizations = { nameOf: async () => 'Acme' };
const sendMail = async ({ to }: Mail): Promise<Outcome> => {
  if (outcome.kind === 'delivered') sent.push(...to);
  return outcome;
};
const kinds = [email({ sendMail, mailRecipients, organizations, unavailable: undefined })];
const deps = { database, vault, now, kinds, sendMail, organizations, mailLinks, logger };

/** Inserts email channels with these addresses, and schedules requests to them. */
async function insertChannels(organizationId: string, addresses: readonly string[]): Promise<string> {
  const id = await fixture.insertChannel(organizationId);
  const sealed = vault.seal(JSON.stringify({ recipients: addresses }), vaultContext(id));
  await query(`update channel set type = 'email', sealed_config = $2 where id = $1`, [id, sealed]);
  await database.transaction({ organizationId }, (tx) => mailRecipients.ask(tx, organizationId, addresses));
  return id;
}

const addresses = (count: number) => Array.from({ length: count }, () => `${v7()}@example.com`);
const rows = () =>
  query<{ ask_at: Date | null; asked: number }>('select ask_at, asked from mail_recipient order by ask_at');

test('requests are sent for organizations in turn', async () => {
  await insertChannels(v7(), addresses(30));
  ahead += 1_000;
  const [mine = ''] = addresses(1);
  await insertChannels(v7(), [mine]);
  expect(await sendConfirmations(deps)).toBe('again');
  expect(sent).toHaveLength(20);
  expect(sent).toContain(mine);
});

test('requests beyond the hourly limit of an organization wait until the next hour', async () => {
  const acme = v7();
  await insertChannels(acme, addresses(30));
  await query(`insert into mail_count values ($1, 'confirmations', $2, $3)`, [
    acme,
    new Date('2026-01-01T10:00:00Z'),
    MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR - 1,
  ]);
  await sendConfirmations(deps);
  expect(sent).toHaveLength(1);
  const waiting = (await rows()).filter(({ asked }) => asked === 0);
  expect(waiting).toEqual(Array(29).fill({ ask_at: new Date('2026-01-01T11:00:00Z'), asked: 0 }));
  ahead = 50 * 60_000;
  while ((await sendConfirmations(deps)) === 'again');
  expect(sent).toHaveLength(30);
});

test('no request is sent without a pause while the mail server does not accept any', async () => {
  await insertChannels(v7(), addresses(20));
  outcome = FAILED;
  expect(await sendConfirmations(deps)).toBe('done');
});

test('an address that no channel has any more is not asked, and is deleted when its last link has expired', async () => {
  const acme = v7();
  const [kept, asked, unasked] = addresses(3);
  if (!kept || !asked || !unasked) throw new Error('three addresses were made');
  await insertChannels(acme, [kept]);
  const former = await insertChannels(acme, [asked]);
  await sendConfirmations(deps);
  ahead += 2 * HOUR_MS;
  const other = await insertChannels(acme, [asked, unasked]);
  await query('delete from channel where id = any($1)', [[former, other]]);
  sent = [];
  await sendConfirmations(deps);
  expect(sent).toEqual([]);
  const found = async () =>
    (await mailRecipients.list(acme, [kept, asked, unasked])).map(({ isUnknown = false }) => !isUnknown);
  expect(await found()).toEqual([true, true, false]);
  ahead = 7 * DAY_MS - HOUR_MS;
  await deleteUnusedRecipients(deps);
  expect(await found()).toEqual([true, true, false]);
  ahead = 7 * DAY_MS + 1_000;
  await deleteUnusedRecipients(deps);
  expect(await found()).toEqual([true, false, false]);
  // A saved channel asks the address again, as a new one.
  await insertChannels(acme, [asked]);
  await sendConfirmations(deps);
  expect(sent).toEqual([asked]);
});

test('an error of one recipient does not stop the requests to others', async () => {
  const acme = v7();
  const [broken = '', mine = '', theirs = ''] = addresses(3);
  await insertChannels(acme, [broken]);
  await query(`update mail_recipient set sealed_address = 'not sealed'`);
  await insertChannels(acme, [mine]);
  await insertChannels(v7(), [theirs]);
  await sendConfirmations(deps);
  expect(sent.toSorted()).toEqual([mine, theirs].toSorted());
});

test('an organization has a limited number of addresses that have not confirmed', async () => {
  const acme = v7();
  const first = addresses(MAX_PENDING_RECIPIENTS - 1);
  await insertChannels(acme, first);
  const [last = '', over = ''] = addresses(2);
  await expect(insertChannels(acme, [last, over])).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      'config.recipients': [
        'that have not confirmed are limited to 1000 for this organization, which has 999; this channel adds 2. Use addresses that have confirmed, or add these after others have confirmed',
      ],
    },
  });
  expect(await rows()).toHaveLength(MAX_PENDING_RECIPIENTS - 1);
  await insertChannels(acme, [last]);
  // Addresses that wait already do not count again.
  await insertChannels(acme, first.slice(0, 50));
  await insertChannels(v7(), [over]);
});
