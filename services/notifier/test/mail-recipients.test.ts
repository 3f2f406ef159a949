import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { recipientStatuses } from '@tocsin/enums';
import { RecipientStatus } from '@tocsin/proto/notifier/v1/channel';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { hourOf, mailboxHash, markOf } from '../src/app/mail-recipients.ts';
import {
  MAX_MAILS_PER_ORGANIZATION_HOUR,
  MAX_MAILS_PER_RECIPIENT_HOUR,
  MAX_PENDING_RECIPIENTS,
} from '../src/domain/mail-recipient.ts';
import { confirmRecipients } from './confirm-recipients.ts';
import { startMailServer } from './start-mail-server.ts';
import { aMonitor, BASE_URL, notifierFixture } from './start-notifier.ts';

const mails = await startMailServer();
let ahead = 0;
const now = () => new Date(Date.now() + ahead);
const organizations = { nameOf: async () => 'Acme <i>' };
const fixture = await notifierFixture({ smtpUrl: mails.url, retryBaseMs: 2_000 }, { organizations, now });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

const DAY_MS = 24 * 3_600_000;

/** Returns an address that no other test uses. */
const address = (prefix = '') => `${prefix}${v7()}@example.com`;

const createChannel = (organizationId: string, ...recipients: string[]) =>
  fixture.createChannel(organizationId, { recipients }, 'email', 'Night shift');

const statusesOf = async (organizationId: string, id: string) =>
  (await fixture.getChannel(organizationId, id))?.recipients.map(({ status }) => recipientStatuses.toName(status));

/** Waits until an address has got this number of emails, and returns the emails. */
const mailsTo = (recipient: string, count: number) =>
  eventually(() => {
    const found = mails.to(recipient);
    expect(found).toHaveLength(count);
    return found;
  });

/** Returns the path of the confirm or unsubscribe link in an email. */
function linkIn(text: string | undefined): string {
  const url = /(?:Confirm|Unsubscribe): (\S+)/.exec(text ?? '')?.[1] ?? '';
  expect(url.startsWith(`${BASE_URL}/m/`)).toBe(true);
  return url.slice(BASE_URL.length);
}

const open = (path: string) => fetch(`${fixture.url}${path}`);
const post = (path: string, form: Record<string, string> = {}) =>
  fetch(`${fixture.url}${path}`, { method: 'POST', body: new URLSearchParams(form) });

const deliveriesOf = (channelId: string) =>
  fixture.query<{ status: string; last_error: string | null }>(
    'select status, last_error from delivery where channel_id = $1 order by position',
    [channelId],
  );

const ended = (channelId: string, statuses: string[]) =>
  eventually(async () => {
    const rows = await deliveriesOf(channelId);
    expect(rows.map(({ status }) => status)).toEqual(statuses);
    return rows;
  });

async function goDown(organizationId: string, channelId: string): Promise<void> {
  await fixture.publish(aMonitor(organizationId, [channelId]).wentDown('2026-01-01T10:00:00Z'));
}

describe('a recipient', () => {
  test('a recipient gets only the confirmation request before confirming, and alerts afterwards', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    expect(channel.recipients).toMatchObject([
      { address: `${jane[0]}***@example.com`, status: RecipientStatus.PENDING, error: '' },
    ]);
    const [question] = await mailsTo(jane, 1);
    expect(question?.text).toContain('Do you want alerts from Acme <i>?');
    await goDown(acme, channel.id);
    const [row] = await ended(channel.id, ['held']);
    expect(row?.last_error).toContain('no recipient has confirmed');
    expect(await fixture.getChannel(acme, channel.id)).toMatchObject({
      enabled: false,
      brokenReason: expect.stringContaining('PATCH config.recipients to send it again'),
    });

    const link = linkIn(question?.text);
    const page = await open(link);
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(await page.text()).toContain('Alerts from Acme &lt;i&gt;');
    // A GET of the link does not confirm, because programs that follow links may send it.
    expect(await statusesOf(acme, channel.id)).toEqual(['pending']);
    expect(await (await post(link)).text()).toContain('You get alerts');
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed']);
    await ended(channel.id, ['sent']);
    expect((await mailsTo(jane, 2))[1]?.text).toContain('Shop is down (sent late)');
    const healed = await fixture.getChannel(acme, channel.id);
    expect([healed?.enabled, healed?.brokenAt]).toEqual([true, undefined]);
    await goDown(acme, channel.id);
    await ended(channel.id, ['sent', 'sent']);
    expect((await mailsTo(jane, 3))[2]?.text).not.toContain('sent late');
  });

  test('an unconfirmed recipient gets no alert, and the fallback gets it instead', async () => {
    const acme = v7();
    const [jane, joe, night] = [address(), address(), address()];
    await confirmRecipients(fixture, acme, [night]);
    const [first, second, fallback] = [
      await createChannel(acme, jane),
      await createChannel(acme, joe),
      await createChannel(acme, night),
    ];
    const as = await fixture.as(acme);
    await fixture.rpc.updateChannel({ id: first.id, fallbackChannelId: fallback.id }, as);
    await goDown(acme, first.id);
    await ended(first.id, ['held']);
    // The second channel breaks when it gets the alert that the first one is broken.
    await ended(second.id, ['held']);
    await eventually(() => {
      const texts = mails.to(night).map(({ text }) => text);
      // The fallback also gets one alert for each of the two broken channels.
      expect(texts.filter((text) => text.includes('Shop is down'))).toHaveLength(1);
      expect(texts).toHaveLength(3);
    });
    await post(linkIn((await mailsTo(jane, 1))[0]?.text));
    await ended(first.id, ['sent']);
    expect(await fixture.getChannel(acme, second.id)).toMatchObject({ enabled: false });
  });

  test('a test alert to an unconfirmed recipient fails, but does not mark the channel as broken', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const as = await fixture.as(acme);
    const { delivery } = await fixture.rpc.testChannel({ id: channel.id }, as);
    expect(delivery).toMatchObject({ error: expect.stringContaining('no recipient has confirmed') });
    expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
    const [request] = await mailsTo(jane, 1);
    await post(linkIn(request?.text), { 'List-Unsubscribe': 'One-Click' });
    await fixture.rpc.testChannel({ id: channel.id }, as);
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed']);
    expect(await mailsTo(jane, 2)).toHaveLength(2);
  });

  test('a channel whose only recipient unsubscribed is broken until the recipient subscribes again', async () => {
    const acme = v7();
    const jane = address();
    await confirmRecipients(fixture, acme, [jane]);
    const channel = await createChannel(acme, jane);
    await goDown(acme, channel.id);
    const link = linkIn((await mailsTo(jane, 1))[0]?.text);
    await post(link, { 'List-Unsubscribe': 'One-Click' });
    await goDown(acme, channel.id);
    const [, row] = await ended(channel.id, ['sent', 'held']);
    expect(row?.last_error).toContain('every recipient has unsubscribed');
    await post(link, { again: '1' });
    await ended(channel.id, ['sent', 'sent']);
  });

  test('a confirmation increases the revision of the channels of the recipient', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const link = linkIn((await mailsTo(jane, 1))[0]?.text);
    // An attempt that began before the confirmation has the old revision, so a refusal by the mail server then does not
    // mark the channel as broken.
    const revision = async () =>
      (await fixture.query<{ revision: number }>('select revision from channel where id = $1', [channel.id]))[0]
        ?.revision ?? 0;
    const before = await revision();
    await post(link);
    expect(await revision()).toBe(before + 1);
    expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
  });

  test('a replay to an unconfirmed recipient is refused as a conflict', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const since = timestampFromDate(new Date(now().getTime() - 60_000));
    const replay = async () => fixture.rpc.replayChannel({ id: channel.id, since }, await fixture.as(acme));
    await expect(replay()).rejects.toThrow(/no recipient of the alert channel has confirmed/);
    await post(linkIn((await mailsTo(jane, 1))[0]?.text));
    expect(await replay()).toMatchObject({ replayed: 0 });
  });

  test('a recipient gets one confirmation request for all channels, and saving a channel later repeats it only for pending recipients', async () => {
    const acme = v7();
    const [jane, joe] = [address(), address()];
    const first = await createChannel(acme, jane, jane.toUpperCase());
    await mailsTo(jane, 1);
    await createChannel(acme, jane, joe);
    await mailsTo(joe, 1);
    expect(mails.to(jane)).toHaveLength(1);
    await post(linkIn(mails.to(joe)[0]?.text));
    ahead += 2 * 3_600_000;
    const configJson = JSON.stringify({ recipients: [jane, joe] });
    await fixture.rpc.updateChannel({ id: first.id, configJson }, await fixture.as(acme));
    const asked = await mailsTo(jane, 2);
    expect(mails.to(joe)).toHaveLength(1);
    expect(asked[0]?.headers['message-id']).not.toBe(asked[1]?.headers['message-id']);
  });

  test('a recipient who was added before confirmations existed is asked to confirm at the first alert', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    await mailsTo(jane, 1);
    await fixture.query('delete from mail_recipient where organization_id = $1', [acme]);
    await goDown(acme, channel.id);
    await ended(channel.id, ['held']);
    const [, question] = await mailsTo(jane, 2);
    await post(linkIn(question?.text));
    await ended(channel.id, ['sent']);
  });

  test('a recipient can confirm within a week', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const link = linkIn((await mailsTo(jane, 1))[0]?.text);
    ahead += 7 * DAY_MS - 60_000;
    expect((await open(link)).status).toBe(200);
    ahead += 120_000;
    const late = await open(link);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This link has expired')]);
    expect((await post(link)).status).toBe(404);
    expect(await statusesOf(acme, channel.id)).toEqual(['pending']);
  });

  test('a recipient can unsubscribe with one POST from an email program, and subscribe again on the page', async () => {
    const acme = v7();
    const [jane, joe] = [address(), address()];
    await confirmRecipients(fixture, acme, [jane, joe]);
    const channel = await createChannel(acme, jane, joe);
    await goDown(acme, channel.id);
    const [mail] = await mailsTo(jane, 1);
    const link = linkIn(mail?.text);
    expect(mail?.headers).toMatchObject({
      'list-unsubscribe': `<${BASE_URL}${link}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    });
    expect(mail?.html).toContain('>Unsubscribe</a>');
    expect(await (await open(link)).text()).toContain('No more alerts');
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed', 'confirmed']);

    const response = await post(link, { 'List-Unsubscribe': 'One-Click' });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')]);
    expect(await statusesOf(acme, channel.id)).toEqual(['unsubscribed', 'confirmed']);
    await goDown(acme, channel.id);
    await mailsTo(joe, 2);
    expect(mails.to(jane)).toHaveLength(1);
    // Only the recipient can subscribe again, so saving the channel does not change the status.
    await fixture.rpc.updateChannel(
      { id: channel.id, configJson: JSON.stringify({ recipients: [jane] }) },
      await fixture.as(acme),
    );
    expect(await statusesOf(acme, channel.id)).toEqual(['unsubscribed']);
    expect(await (await post(link, { again: '1' })).text()).toContain('You get alerts');
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed']);
  });

  test('the channel shows why the mail server refused a recipient, until the mail server accepts an email', async () => {
    const acme = v7();
    const [jane, joe] = [address(), address('once-550.')];
    await confirmRecipients(fixture, acme, [jane, joe]);
    const channel = await createChannel(acme, jane, joe);
    await goDown(acme, channel.id);
    await ended(channel.id, ['sent']);
    expect((await fixture.getChannel(acme, channel.id))?.recipients).toMatchObject([
      { status: RecipientStatus.CONFIRMED, error: '' },
      { status: RecipientStatus.REFUSED, error: 'the mail server refused every recipient (550)' },
    ]);
    await goDown(acme, channel.id);
    await mailsTo(joe, 1);
    await eventually(async () => expect(await statusesOf(acme, channel.id)).toEqual(['confirmed', 'confirmed']));
  });

  test('a recipient must confirm separately for each organization', async () => {
    const jane = address();
    const theirs = v7();
    await confirmRecipients(fixture, v7(), [jane]);
    const channel = await createChannel(theirs, jane);
    expect(await statusesOf(theirs, channel.id)).toEqual(['pending']);
  });
});

test.each([
  ['a recipient', (acme: string, jane: string) => markOf(acme, jane), MAX_MAILS_PER_RECIPIENT_HOUR],
  ['an organization', () => 'all', MAX_MAILS_PER_ORGANIZATION_HOUR],
])('emails beyond the hourly limit of %s wait', async (_, counted, limit) => {
  const acme = v7();
  const jane = address();
  await confirmRecipients(fixture, acme, [jane]);
  const channel = await createChannel(acme, jane);
  const count = (mails: number) =>
    fixture.query(
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
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
});

test('the emails of an alert are counted in one transaction, and a full recipient uses up no email of the organization', async () => {
  const acme = v7();
  const [full, ...others] = [address(), address(), address(), address()];
  await confirmRecipients(fixture, acme, [full, ...others]);
  const channel = await createChannel(acme, full, ...others);
  const hour = hourOf(now());
  for (const [counted, count] of [
    [markOf(acme, full), MAX_MAILS_PER_RECIPIENT_HOUR],
    ['all', MAX_MAILS_PER_ORGANIZATION_HOUR - 2],
  ]) {
    await fixture.query('insert into mail_count values ($1, $2, $3, $4)', [acme, counted, hour, count]);
  }
  await goDown(acme, channel.id);
  const waiting = 'select status from delivery where channel_id = $1 and attempts = 1';
  await eventually(async () => expect(await fixture.query(waiting, [channel.id])).toEqual([{ status: 'pending' }]));
  expect([mails.to(full).length, ...others.map((recipient) => mails.to(recipient).length).sort()]).toEqual([
    0, 0, 1, 1,
  ]);
  const counts = await fixture.query<{ mails: number; transaction: string }>(
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
    expect((await fixture.getChannel(acme, channel.id))?.recipients).toMatchObject([{ error: '' }]);
  }
  const acme = v7();
  const channel = await createChannel(acme, tagged('c'));
  await eventually(async () =>
    expect((await fixture.getChannel(acme, channel.id))?.recipients).toMatchObject([
      { status: RecipientStatus.PENDING, error: expect.stringContaining('as many requests to confirm as it may get') },
    ]),
  );
  expect(requests()).toHaveLength(5);
  ahead += DAY_MS;
  await eventually(() => expect(requests()).toHaveLength(6));
  await eventually(async () =>
    expect((await fixture.getChannel(acme, channel.id))?.recipients).toMatchObject([{ error: '' }]),
  );
});

test('a channel with too many addresses that have not confirmed is refused, and is not created or changed', async () => {
  const acme = v7();
  const [jane, joe] = [address(), address()];
  const { id } = await createChannel(acme, jane);
  await fixture.query(
    `insert into mail_recipient (organization_id, mark, sealed_address, status)
     select $1, n::text, 'sealed', 'pending' from generate_series(1, $2) as n`,
    [acme, MAX_PENDING_RECIPIENTS - 1],
  );
  const refused = { 'config.recipients': [expect.stringContaining('are limited to 1000 for this organization')] };
  const as = await fixture.as(acme);
  const configJson = JSON.stringify({ recipients: [jane, joe] });
  const create = fixture.rpc.createChannel({ name: 'Ops', type: 'email', configJson }, as);
  await expect(create).rejects.toMatchObject({ kind: 'invalid', fields: refused });
  const update = fixture.rpc.updateChannel({ id, name: 'Days', configJson }, as);
  await expect(update).rejects.toMatchObject({ kind: 'invalid', fields: refused });
  const { channels } = await fixture.rpc.listChannels({ limit: 10 }, as);
  expect(channels).toMatchObject([{ id, name: 'Night shift', recipients: [{}] }]);
  // An address that has confirmed can still be added.
  await confirmRecipients(fixture, acme, [joe]);
  await fixture.rpc.updateChannel({ id, configJson }, as);
});

test('a confirmation request that the mail server does not accept is not counted', async () => {
  const jane = address('once-450.');
  const acme = v7();
  await createChannel(acme, jane);
  const counts = () => fixture.query('select requests from mailbox_request where mailbox = $1', [mailboxHash(jane)]);
  await eventually(async () => expect(await counts()).toEqual([{ requests: 0 }]));
  ahead += 6 * 60_000;
  await mailsTo(jane, 1);
  expect(await counts()).toEqual([{ requests: 1 }]);
});

test('addresses are stored only encrypted, and a modified link returns a 404', async () => {
  const acme = v7();
  const jane = address();
  await createChannel(acme, jane);
  const link = linkIn((await mailsTo(jane, 1))[0]?.text);
  for (const table of ['mail_recipient', 'mail_count', 'mailbox_request', 'channel', 'delivery'])
    expect(JSON.stringify(await fixture.query(`select * from ${table}`))).not.toContain(jane);
  const logs = fixture.logged.join('');
  for (const secret of [jane, link]) expect(logs).not.toContain(secret);
  const changed = `${link.slice(0, 20)}${link[20] === 'A' ? 'B' : 'A'}${link.slice(21)}`;
  expect((await open(changed)).status).toBe(404);
  expect((await post(changed)).status).toBe(404);
  // A link for an email recipient is not a valid link to an outage page.
  expect((await open(link.replace('/m/', '/o/'))).status).toBe(404);
});
