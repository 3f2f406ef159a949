import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { RecipientStatus } from '@tocsin/proto/notifier/v1/channel';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { confirmRecipients } from './confirm-recipients.ts';
import { address, linkIn, recipientFixture } from './recipient-fixture.ts';
import { BASE_URL } from './start-notifier.ts';

const fixture = await recipientFixture();
const { advance, createChannel, ended, goDown, mails, mailsTo, notifier, now, open, post, statusesOf } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const DAY_MS = 24 * 3_600_000;

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
    expect(await notifier.getChannel(acme, channel.id)).toMatchObject({
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
    const healed = await notifier.getChannel(acme, channel.id);
    expect([healed?.enabled, healed?.brokenAt]).toEqual([true, undefined]);
    await goDown(acme, channel.id);
    await ended(channel.id, ['sent', 'sent']);
    expect((await mailsTo(jane, 3))[2]?.text).not.toContain('sent late');
  });

  test('an unconfirmed recipient gets no alert, and the fallback gets it instead', async () => {
    const acme = v7();
    const [jane, joe, night] = [address(), address(), address()];
    await confirmRecipients(notifier, acme, [night]);
    const [first, second, fallback] = [
      await createChannel(acme, jane),
      await createChannel(acme, joe),
      await createChannel(acme, night),
    ];
    const as = await notifier.as(acme);
    await notifier.rpc.updateChannel({ id: first.id, fallbackChannelId: fallback.id }, as);
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
    expect(await notifier.getChannel(acme, second.id)).toMatchObject({ enabled: false });
  });

  test('a test alert to an unconfirmed recipient fails, but does not mark the channel as broken', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const as = await notifier.as(acme);
    const { delivery } = await notifier.rpc.testChannel({ id: channel.id }, as);
    expect(delivery).toMatchObject({ error: expect.stringContaining('no recipient has confirmed') });
    expect(await notifier.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
    const [request] = await mailsTo(jane, 1);
    await post(linkIn(request?.text), { 'List-Unsubscribe': 'One-Click' });
    await notifier.rpc.testChannel({ id: channel.id }, as);
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed']);
    expect(await mailsTo(jane, 2)).toHaveLength(2);
  });

  test('a channel whose only recipient unsubscribed is broken until the recipient subscribes again', async () => {
    const acme = v7();
    const jane = address();
    await confirmRecipients(notifier, acme, [jane]);
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
      (await notifier.query<{ revision: number }>('select revision from channel where id = $1', [channel.id]))[0]
        ?.revision ?? 0;
    const before = await revision();
    await post(link);
    expect(await revision()).toBe(before + 1);
    expect(await notifier.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
  });

  test('a replay to an unconfirmed recipient is refused as a conflict', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    const since = timestampFromDate(new Date(now().getTime() - 60_000));
    const replay = async () => notifier.rpc.replayChannel({ id: channel.id, since }, await notifier.as(acme));
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
    advance(2 * 3_600_000);
    const configJson = JSON.stringify({ recipients: [jane, joe] });
    await notifier.rpc.updateChannel({ id: first.id, configJson }, await notifier.as(acme));
    const asked = await mailsTo(jane, 2);
    expect(mails.to(joe)).toHaveLength(1);
    expect(asked[0]?.headers['message-id']).not.toBe(asked[1]?.headers['message-id']);
  });

  test('a recipient who was added before confirmations existed is asked to confirm at the first alert', async () => {
    const acme = v7();
    const jane = address();
    const channel = await createChannel(acme, jane);
    await mailsTo(jane, 1);
    await notifier.query('delete from mail_recipient where organization_id = $1', [acme]);
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
    advance(7 * DAY_MS - 60_000);
    expect((await open(link)).status).toBe(200);
    advance(120_000);
    const late = await open(link);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('This link has expired')]);
    expect((await post(link)).status).toBe(404);
    expect(await statusesOf(acme, channel.id)).toEqual(['pending']);
  });

  test('a recipient can unsubscribe with one POST from an email program, and subscribe again on the page', async () => {
    const acme = v7();
    const [jane, joe] = [address(), address()];
    await confirmRecipients(notifier, acme, [jane, joe]);
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
    await notifier.rpc.updateChannel(
      { id: channel.id, configJson: JSON.stringify({ recipients: [jane] }) },
      await notifier.as(acme),
    );
    expect(await statusesOf(acme, channel.id)).toEqual(['unsubscribed']);
    expect(await (await post(link, { again: '1' })).text()).toContain('You get alerts');
    expect(await statusesOf(acme, channel.id)).toEqual(['confirmed']);
  });

  test('the channel shows why the mail server refused a recipient, until the mail server accepts an email', async () => {
    const acme = v7();
    const [jane, joe] = [address(), address('once-550.')];
    await confirmRecipients(notifier, acme, [jane, joe]);
    const channel = await createChannel(acme, jane, joe);
    await goDown(acme, channel.id);
    await ended(channel.id, ['sent']);
    expect((await notifier.getChannel(acme, channel.id))?.recipients).toMatchObject([
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
    await confirmRecipients(notifier, v7(), [jane]);
    const channel = await createChannel(theirs, jane);
    expect(await statusesOf(theirs, channel.id)).toEqual(['pending']);
  });
});

test('addresses are stored only encrypted, and a modified link returns a 404', async () => {
  const acme = v7();
  const jane = address();
  await createChannel(acme, jane);
  const link = linkIn((await mailsTo(jane, 1))[0]?.text);
  for (const table of ['mail_recipient', 'mail_count', 'mailbox_request', 'channel', 'delivery'])
    expect(JSON.stringify(await notifier.query(`select * from ${table}`))).not.toContain(jane);
  const logs = notifier.logged.join('');
  for (const secret of [jane, link]) expect(logs).not.toContain(secret);
  const changed = `${link.slice(0, 20)}${link[20] === 'A' ? 'B' : 'A'}${link.slice(21)}`;
  expect((await open(changed)).status).toBe(404);
  expect((await post(changed)).status).toBe(404);
  // A link for an email recipient is not a valid link to an outage page.
  expect((await open(link.replace('/m/', '/o/'))).status).toBe(404);
});
