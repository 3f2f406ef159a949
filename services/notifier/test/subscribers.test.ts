import { SubscribeOutcome } from '@tocsin/proto/notifier/v1/subscriber';
import { Locale } from '@tocsin/proto/statuspage/v1/statuspage';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { dayOf, hourOf, mailboxHash } from '../src/app/mail-recipients.ts';
import { subscriberIdOf } from '../src/app/subscribe.ts';
import {
  MAX_SUBSCRIBER_MAILS_PER_DAY,
  MAX_SUBSCRIBERS,
  MAX_VISITOR_REQUESTS_PER_HOUR,
} from '../src/domain/subscriber.ts';
import { startMailServer } from './start-mail-server.ts';
import { BASE_URL, notifierFixture } from './start-notifier.ts';
import { freshAddress, subscriberFixture } from './subscriber-fixture.ts';

const mails = await startMailServer();
let ahead = 0;
const now = () => new Date(Date.now() + ahead);
const fixture = await notifierFixture({ smtpUrl: mails.url }, { now });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});
const { aPage, mailsTo, linkIn, open, post } = subscriberFixture(fixture, mails);

const DAY_MS = 24 * 3_600_000;

describe('a subscription', () => {
  test('a visitor gets one mail that asks, notices after confirming, and nothing after unsubscribing', async () => {
    const acme = v7();
    const page = aPage(acme);
    const jane = freshAddress();
    expect(await page.subscribe(` ${jane} `)).toBe(SubscribeOutcome.ACCEPTED);
    expect(await page.subscribe(jane.toUpperCase())).toBe(SubscribeOutcome.ACCEPTED);
    const [question] = await mailsTo(jane, 1);
    expect(question?.headers.subject).toBe('Do you want updates from Acme <i>?');
    await fixture.publish(page.notice('before'));
    const confirm = linkIn(question?.text, 'Confirm');
    const shown = await open(confirm);
    expect([shown.status, shown.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(await shown.text()).toContain('Updates from Acme &lt;i&gt;');
    // A GET of the link does not confirm, because programs that follow links may send it.
    expect(await page.subscribers()).toMatchObject([{ status: 'pending' }]);
    for (const _ of ['once', 'again']) expect(await (await post(confirm)).text()).toContain('You get updates');

    await fixture.publish(page.notice('Search is slow'));
    const notice = (await mailsTo(jane, 2))[1];
    expect(notice?.headers.subject).toContain('Search_is_slow');
    expect(notice?.text).toContain('Investigating: Search is slow\n\nSearch is slow\n\nWe look into it.');
    expect(notice?.text).toContain('Affected components: API');
    expect(notice?.text).toContain('Show on the status page: https://status.example.com/incidents/1');
    const unsubscribe = linkIn(notice?.text, 'Unsubscribe');
    expect(notice?.headers['list-unsubscribe']).toBe(`<${BASE_URL}${unsubscribe}>`);
    expect(notice?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    // A confirmed address gets no further mail, and the visitor sees no difference.
    expect(await page.subscribe(jane)).toBe(SubscribeOutcome.ACCEPTED);

    expect(await (await open(unsubscribe)).text()).toContain('No more updates from Acme &lt;i&gt;?');
    for (const _ of ['once', 'again']) {
      expect(await (await post(unsubscribe, { 'List-Unsubscribe': 'One-Click' })).text()).toContain('unsubscribed');
    }
    expect(await page.subscribers()).toEqual([]);
    // The link to confirm says so before its button is pressed.
    expect((await open(confirm)).status).toBe(410);
    expect((await post(confirm)).status).toBe(410);
    const other = freshAddress();
    await page.confirmed(other);
    await fixture.publish(page.notice('later'));
    await mailsTo(other, 2);
    expect(mails.to(jane)).toHaveLength(2);
  });

  test('the link in an email of an earlier subscription ends the later one, too', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.confirmed(jane);
    await fixture.publish(page.notice('first'));
    const unsubscribe = linkIn((await mailsTo(jane, 2))[1]?.text, 'Unsubscribe');
    await post(unsubscribe);
    await page.subscribe(jane);
    await post(linkIn((await mailsTo(jane, 3))[2]?.text, 'Confirm'));
    expect(await page.subscribers()).toMatchObject([{ status: 'confirmed' }]);
    // Otherwise mail programs would take the second question for a repeat of the first.
    expect(new Set(mails.to(jane).map(({ headers }) => headers['message-id'])).size).toBe(3);
    await post(unsubscribe);
    expect(await page.subscribers()).toEqual([]);
  });

  test('mails and pages are in the language of the page', async () => {
    const [german, arabic] = [aPage(v7(), Locale.DE), aPage(v7(), Locale.AR)];
    const [jane, noor] = [freshAddress(), freshAddress()];
    await german.subscribe(jane);
    await arabic.subscribe(noor);
    const [question] = await mailsTo(jane, 1);
    expect(question?.text).toContain('Jemand hat Ihre Adresse auf der Statusseite Acme <i> eingetragen');
    expect(question?.html).toContain('<html lang="de">');
    expect(await (await open(linkIn(question?.text, 'Bestätigen'))).text()).toContain('Ja, Meldungen senden');
    const [inArabic] = await mailsTo(noor, 1);
    expect(inArabic?.html).toContain('<html lang="ar" dir="rtl">');
    expect(await (await open(linkIn(inArabic?.text, 'تأكيد'))).text()).toContain('<html lang="ar" dir="rtl">');
  });

  test.each(['', 'jane', 'jane@localhost', 'jane@example.com, joe@example.com', `${'x'.repeat(300)}@example.com`])(
    'the text "%s" is not accepted as an address',
    async (text) => {
      const page = aPage(v7());
      expect(await page.subscribe(text)).toBe(SubscribeOutcome.INVALID_ADDRESS);
      expect(await page.subscribers()).toEqual([]);
    },
  );

  test('the address is stored only sealed', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.confirmed(jane);
    const rows = await fixture.query('select * from subscriber where status_page_id = $1', [page.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(jane);
    expect(fixture.logged.join('')).not.toContain(jane);
  });

  test('an address that does not confirm within 7 days is deleted', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.subscribe(jane);
    const [question] = await mailsTo(jane, 1);
    await fixture.query(`update subscriber set created_at = $2, asked_at = $2 where status_page_id = $1`, [
      page.id,
      new Date(now().getTime() - 7 * DAY_MS - 1_000),
    ]);
    ahead += 7 * DAY_MS + 60_000;
    expect((await open(linkIn(question?.text, 'Confirm'))).status).toBe(410);
    expect((await post(linkIn(question?.text, 'Confirm'))).status).toBe(410);
    ahead -= 7 * DAY_MS + 60_000;
  });
});

describe('limits', () => {
  test('a page has at most 5,000 subscribers', async () => {
    const acme = v7();
    const page = aPage(acme);
    const [jane, joe] = [freshAddress(), freshAddress()];
    await page.subscribe(jane);
    const [question] = await mailsTo(jane, 1);
    await fixture.query(
      `insert into subscriber (id, organization_id, status_page_id, sealed_address, status, created_at, confirmed_at)
       select gen_random_uuid(), $1, $2, 'sealed', 'confirmed', now(), now()
       from generate_series(1, $3) number`,
      [acme, page.id, MAX_SUBSCRIBERS],
    );
    expect(await page.subscribe(joe)).toBe(SubscribeOutcome.FULL);
    // The outcome does not depend on whether the address is known.
    expect(await page.subscribe(jane)).toBe(SubscribeOutcome.FULL);
    expect(await (await post(linkIn(question?.text, 'Confirm'))).text()).toContain('too many subscribers');
    expect(mails.to(joe)).toEqual([]);
  });

  test('a mailbox is asked five times a day, whatever the page, and still gets requests of alert channels', async () => {
    const jane = freshAddress();
    const [name, host] = jane.split('@');
    for (let nth = 1; nth <= 6; nth += 1) await aPage(v7()).subscribe(`${name}+${nth}@${host}`);
    const asked = () => mails.received.filter(({ to }) => to.some((address) => address.startsWith(`${name}`)));
    await eventually(() => expect(asked()).toHaveLength(5), { timeoutMs: 20_000 });
    const [waiting] = await fixture.query<{ ask_at: Date }>(
      `select ask_at from subscriber where ask_at = $1 and status = 'pending'`,
      [new Date(dayOf(now()).getTime() + DAY_MS)],
    );
    expect(waiting).toBeDefined();
    await fixture.createChannel(v7(), { recipients: [jane] }, 'email');
    expect((await mailsTo(jane, 1))[0]?.text).toContain('Do you want alerts from');
  });

  test('an organization that has asked too many visitors waits for the next hour, and its alerts do not', async () => {
    const acme = v7();
    const [jane, joe] = [freshAddress(), freshAddress()];
    await fixture.query('insert into mail_count values ($1, $2, $3, $4)', [
      acme,
      'visitors',
      hourOf(now()),
      MAX_VISITOR_REQUESTS_PER_HOUR,
    ]);
    const page = aPage(acme);
    await page.subscribe(jane);
    await eventually(async () => {
      const [row] = await fixture.query<{ ask_at: Date }>('select ask_at from subscriber where status_page_id = $1', [
        page.id,
      ]);
      expect(row?.ask_at.getTime()).toBeGreaterThan(now().getTime());
    });
    await fixture.createChannel(acme, { recipients: [joe] }, 'email');
    await mailsTo(joe, 1);
    expect(mails.to(jane)).toEqual([]);
    expect(await fixture.query('select from mail_count where organization_id = $1', [acme])).toHaveLength(3);
  });

  test('notices do not count as alert mails, and have a limit per day', async () => {
    const acme = v7();
    const page = aPage(acme);
    const jane = freshAddress();
    await page.confirmed(jane);
    await fixture.publish(page.notice('one'));
    await mailsTo(jane, 2);
    const counts = await fixture.query<{ counted: string }>(
      'select counted from mail_count where organization_id = $1',
      [acme],
    );
    expect(counts).toEqual([{ counted: 'visitors' }]);
    await fixture.query('update subscriber_mail_count set mails = $2 where organization_id = $1', [
      acme,
      MAX_SUBSCRIBER_MAILS_PER_DAY,
    ]);
    await fixture.publish(page.notice('too many'));
    await eventually(() => expect(fixture.logged.join('')).toContain('has reached its limit of the day'));
    ahead += DAY_MS;
    await fixture.publishAt(now(), page.notice('tomorrow'));
    expect((await mailsTo(jane, 3))[2]?.text).toContain('tomorrow');
    ahead -= DAY_MS;
  });
});

describe('isolation', () => {
  test('a redelivered event and a second event about the same entry send no second mail', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.confirmed(jane);
    const updateId = v7();
    const event = page.notice('once', { updateId });
    await fixture.publish(event);
    await mailsTo(jane, 2);
    await fixture.publishAgain(event, 1);
    await fixture.publish(page.notice('a repeat', { updateId }), page.notice('the last one'));
    expect((await mailsTo(jane, 3))[2]?.text).toContain('the last one');
    await eventually(async () =>
      expect((await page.deliveries()).map(({ status }) => status)).toEqual(['sent', 'sent']),
    );
  });

  test('an event of another organization reaches no subscriber, and does not change the page', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.confirmed(jane);
    const hostile = { ...page.notice('hostile'), organizationId: v7() };
    const deletion = { ...page.updated({ deleted: true }), organizationId: hostile.organizationId };
    await fixture.publish({ ...deletion, aggregateId: v7() });
    await fixture.publish({ ...hostile, aggregateId: v7() });
    await fixture.publish(page.notice('ours'));
    expect((await mailsTo(jane, 2))[1]?.text).toContain('ours');
  });

  test('nothing is sent while visitors may not subscribe, and subscribers are deleted with their page', async () => {
    const page = aPage(v7());
    const jane = freshAddress();
    await page.confirmed(jane);
    mails.response(451);
    await fixture.publish(page.notice('waits'));
    await eventually(async () => expect((await page.deliveries())[0]?.last_error).toContain('451'));
    mails.response(undefined);
    await fixture.publish(page.updated({ takesSubscribers: false }));
    ahead += 2 * 60_000;
    await eventually(async () => expect(await page.deliveries()).toMatchObject([{ status: 'dropped' }]), {
      timeoutMs: 10_000,
    });
    await fixture.publish(page.updated({}), page.updated({ takesSubscribers: true }), page.notice('again'));
    expect((await mailsTo(jane, 2))[1]?.text).toContain('again');
    await fixture.publish(page.updated({ deleted: true }));
    await eventually(async () => expect(await page.subscribers()).toEqual([]));
    expect(await page.deliveries()).toEqual([]);
    ahead -= 2 * 60_000;
  });

  test('subscribers of two pages with one address have different ids, so that an address can not be followed from page to page', () => {
    const id = (address: string) => subscriberIdOf({ id: v7(), organizationId: v7() }, address);
    expect(id('jane@example.com')).not.toBe(id('jane@example.com'));
    expect(mailboxHash('Jane+x@example.com')).toBe(mailboxHash('jane@example.com'));
  });
});
