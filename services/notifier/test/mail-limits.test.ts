import { RecipientStatus } from '@tocsin/proto/notifier/v1/channel';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { hourOf, mailboxHash, markOf } from '../src/app/mail-recipients.ts';
import {
  MAX_MAILS_PER_ORGANIZATION_HOUR,
  MAX_MAILS_PER_RECIPIENT_HOUR,
  MAX_PENDING_RECIPIENTS,
} from '../src/domain/mail-recipient.ts';
import { confirmRecipients } from './confirm-recipients.ts';
import { address, recipientFixture } from './recipient-fixture.ts';

const fixture = await recipientFixture();
const { advance, createChannel, deliveriesOf, ended, goDown, mails, mailsTo, notifier, now } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const DAY_MS = 24 * 3_600_000;

test.each([
  ['a recipient', (acme: string, jane: string) => markOf(acme, jane), MAX_MAILS_PER_RECIPIENT_HOUR],
  ['an organization', () => 'all', MAX_MAILS_PER_ORGANIZATION_HOUR],
])('emails beyond the hourly limit of %s wait', async (_, counted, limit) => {
  const acme = v7();
  const jane = address();
  await confirmRecipients(notifier, acme, [jane]);
  const channel = await createChannel(acme, jane);
  const count = (mails: number) =>
    notifier.query(
      `insert into mail_count values ($1, $2, $3, $4)
       on conflict (organization_id, counted, hour) do update set mails = $4`,
      [acme, counted(acme, jane), hourOf(now()), mails],
    );
  await count(limit - 1);
  await goDown(acme, channel.id);
  await ended(channel.id, ['sent']);
  await goDown(acme, channel.id);
  await eventually(async () => {
    const [, second] = await deliveriesOf(channel.id);
    expect(second).toMatchObject({ status: 'pending', last_error: expect.stringContaining('limit of mails per hour') });
  });
  expect(mails.to(jane)).toHaveLength(1);
  expect(await notifier.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
});

test('the emails of an alert are counted in one transaction, and a full recipient uses up no email of the organization', async () => {
  const acme = v7();
  const [full, ...others] = [address(), address(), address(), address()];
  await confirmRecipients(notifier, acme, [full, ...others]);
  const channel = await createChannel(acme, full, ...others);
  const hour = hourOf(now());
  for (const [counted, count] of [
    [markOf(acme, full), MAX_MAILS_PER_RECIPIENT_HOUR],
    ['all', MAX_MAILS_PER_ORGANIZATION_HOUR - 2],
  ]) {
    await notifier.query('insert into mail_count values ($1, $2, $3, $4)', [acme, counted, hour, count]);
  }
  await goDown(acme, channel.id);
  const waiting = 'select status from delivery where channel_id = $1 and attempts = 1';
  await eventually(async () => expect(await notifier.query(waiting, [channel.id])).toEqual([{ status: 'pending' }]));
  expect([mails.to(full).length, ...others.map((recipient) => mails.to(recipient).length).sort()]).toEqual([
    0, 0, 1, 1,
  ]);
  const counts = await notifier.query<{ mails: number; transaction: string }>(
    'select mails, xmin::text as transaction from mail_count where organization_id = $1 order by mails',
    [acme],
  );
  expect(counts.map((row) => row.mails)).toEqual([1, 1, MAX_MAILS_PER_RECIPIENT_HOUR, MAX_MAILS_PER_ORGANIZATION_HOUR]);
  expect(new Set([counts[0], counts[1], counts[3]].map((row) => row?.transaction)).size).toBe(1);
});

test('a mailbox gets at most five confirmation requests a day from all organizations, and gets the sixth on the next day', async () => {
  const jane = address();
  const tagged = (tag: string) => jane.replace('@', `+${tag}@`).toUpperCase();
  const requests = () =>
    mails.received.filter(({ to: [to = ''] }) => to.toLowerCase().startsWith(jane.split('@')[0] ?? ''));
  for (const [index, recipient] of [jane, tagged('a'), jane, tagged('b'), jane].entries()) {
    const acme = v7();
    const channel = await createChannel(acme, recipient);
    await eventually(() => expect(requests()).toHaveLength(index + 1));
    expect((await notifier.getChannel(acme, channel.id))?.recipients).toMatchObject([{ error: '' }]);
  }
  const acme = v7();
  const channel = await createChannel(acme, tagged('c'));
  await eventually(async () =>
    expect((await notifier.getChannel(acme, channel.id))?.recipients).toMatchObject([
      { status: RecipientStatus.PENDING, error: expect.stringContaining('as many requests to confirm as it may get') },
    ]),
  );
  expect(requests()).toHaveLength(5);
  advance(DAY_MS);
  await eventually(() => expect(requests()).toHaveLength(6));
  await eventually(async () =>
    expect((await notifier.getChannel(acme, channel.id))?.recipients).toMatchObject([{ error: '' }]),
  );
});

test('a channel with too many addresses that have not confirmed is refused, and is not created or changed', async () => {
  const acme = v7();
  const [jane, joe] = [address(), address()];
  const { id } = await createChannel(acme, jane);
  await notifier.query(
    `insert into mail_recipient (organization_id, mark, sealed_address, status)
     select $1, n::text, 'sealed', 'pending' from generate_series(1, $2) as n`,
    [acme, MAX_PENDING_RECIPIENTS - 1],
  );
  const refused = { 'config.recipients': [expect.stringContaining('are limited to 1000 for this organization')] };
  const as = await notifier.as(acme);
  const configJson = JSON.stringify({ recipients: [jane, joe] });
  const create = notifier.rpc.createChannel({ name: 'Ops', type: 'email', configJson }, as);
  await expect(create).rejects.toMatchObject({ kind: 'invalid', fields: refused });
  const update = notifier.rpc.updateChannel({ id, name: 'Days', configJson }, as);
  await expect(update).rejects.toMatchObject({ kind: 'invalid', fields: refused });
  const { channels } = await notifier.rpc.listChannels({ limit: 10 }, as);
  expect(channels).toMatchObject([{ id, name: 'Night shift', recipients: [{}] }]);
  // An address that has confirmed can still be added.
  await confirmRecipients(notifier, acme, [joe]);
  await notifier.rpc.updateChannel({ id, configJson }, as);
});

test('a confirmation request that the mail server does not accept is not counted', async () => {
  const jane = address('once-450.');
  const acme = v7();
  await createChannel(acme, jane);
  const counts = () => notifier.query('select requests from mailbox_request where mailbox = $1', [mailboxHash(jane)]);
  await eventually(async () => expect(await counts()).toEqual([{ requests: 0 }]));
  advance(6 * 60_000);
  await mailsTo(jane, 1);
  expect(await counts()).toEqual([{ requests: 1 }]);
});
