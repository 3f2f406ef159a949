import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import { CertificateExpiringSchema } from '@tocsin/proto/monitor/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { confirmRecipients } from './confirm-recipients.ts';
import { startMailServer } from './start-mail-server.ts';
import { aMonitor, BASE_URL, notifierFixture } from './start-notifier.ts';

const mails = await startMailServer();
const organizations = { nameOf: async () => 'Acme <i>' };
const fixture = await notifierFixture({ smtpUrl: mails.url }, { organizations });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

interface Row {
  id: string;
  status: string;
  attempts: number;
  last_error: string | null;
}

const deliveriesOf = (channelId: string): Promise<Row[]> =>
  fixture.query<Row>('select * from delivery where channel_id = $1 order by position', [channelId]);

const finished = (channelId: string, statuses: string[]): Promise<Row[]> =>
  eventually(async () => {
    const rows = await deliveriesOf(channelId);
    expect(rows.map(({ status }) => status)).toEqual(statuses);
    return rows;
  });

/** Creates a channel whose recipients have confirmed. */
async function newChannel(organizationId: string, ...recipients: string[]) {
  await confirmRecipients(fixture, organizationId, recipients);
  return fixture.createChannel(organizationId, { recipients }, 'email', 'Night shift');
}

/** Returns an address that no other test uses. */
const address = (prefix = '') => `${prefix}${v7()}@example.com`;

/** Waits until each of a channel's `count` deliveries has failed several times and is pending again. */
const retried = (channelId: string, count: number) =>
  eventually(async () => {
    const rows = await deliveriesOf(channelId);
    expect(rows.map(({ status }) => status)).toEqual(Array(count).fill('pending'));
    for (const { attempts } of rows) expect(attempts).toBeGreaterThan(2);
    return rows;
  });

test('every recipient gets an email about an outage and one about its recovery, as text and HTML', async () => {
  const acme = v7();
  const [jane, joe] = [address(), address()];
  const channel = await newChannel(acme, jane, joe, jane);
  const monitor = aMonitor(acme, [channel.id], 'Shop <b>');
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  await fixture.publish(monitor.recovered('2026-01-01T10:02:05Z', '2026-01-01T10:00:00Z'));
  const rows = await finished(channel.id, ['sent', 'sent']);

  const [down, up] = mails.to(jane);
  expect(down?.from).toBe('tocsin@example.com');
  // Each recipient gets a separate email, so recipients do not see each other's addresses.
  expect(down?.to).toEqual([jane]);
  expect(mails.to(joe)).toHaveLength(2);
  expect(down?.headers).toMatchObject({
    'message-id': expect.stringMatching(new RegExp(`^<${rows[0]?.id}\\.[\\w-]{8}@example.com>$`)),
    'auto-submitted': 'auto-generated',
    from: 'Tocsin <tocsin@example.com>',
  });
  for (const words of [
    'Shop <b> is down',
    'Error: status 502, expected 200',
    'Since: 1 Jan 2026, 10:00 UTC',
    'Organization: Acme <i>',
  ]) {
    expect(down?.text).toContain(words);
  }
  expect(down?.text).toContain(`${BASE_URL}/o/`);
  expect(down?.html).toContain('Shop &lt;b&gt; is down');
  expect(down?.html).toContain('status 502, expected 200');
  expect(up?.text).toContain('Was down for: 2 min 5 s');
  expect(mails.to(jane)).toHaveLength(2);
});

test.each([
  ['the mail server accepts none of them', (isFailing: boolean) => mails.response(isFailing ? 451 : undefined)],
  ['it is unknown whether the mail server accepted them', (isFailing: boolean) => mails.hangUp(isFailing)],
])(
  'when attempts fail and %s, only emails that may have been accepted count toward the hourly limits',
  async (_, fail) => {
    const acme = v7();
    const jane = address();
    const channel = await newChannel(acme, jane);
    fail(true);
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await retried(channel.id, 1).finally(() => fail(false));
    await finished(channel.id, ['sent']);
    const counts = await fixture.query<{ mails: number }>('select mails from mail_count where organization_id = $1', [
      acme,
    ]);
    const { length } = mails.to(jane);
    expect(counts).toEqual([{ mails: length }, { mails: length }]);
  },
);

test('the lease of an alert by email lasts until the email had its turn', async () => {
  const acme = v7();
  const jane = address('held.');
  const channel = await newChannel(acme, jane);
  mails.hold(true);
  try {
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(mails.to(jane)).toHaveLength(1));
    const [lease] = await fixture.query<{ seconds: number }>(
      'select extract(epoch from leased_until - created_at)::integer as seconds from delivery where channel_id = $1',
      [channel.id],
    );
    expect(lease?.seconds).toBeGreaterThan(60);
  } finally {
    mails.hold(false);
  }
  await finished(channel.id, ['sent']);
});

test('emails report an expiring certificate and a monitor without data', async () => {
  const acme = v7();
  const jane = address();
  const channel = await newChannel(acme, jane);
  const monitor = aMonitor(acme, [channel.id]);
  const about = { organizationId: acme, aggregateId: monitor.id };
  const certificate = { notAfter: timestampFromDate(new Date('2026-01-15T00:00:00Z')) };
  const expiring = outgoingEvent(
    CertificateExpiringSchema,
    {
      monitor: { id: monitor.id, organizationId: acme, name: 'Shop', alertChannelIds: [channel.id] },
      certificate,
      thresholdDays: 14,
      daysRemaining: 13,
    },
    about,
  );
  await fixture.publish(expiring, monitor.fellSilent('2026-01-01T11:00:00Z'));
  await fixture.publishAgain(expiring, 1);
  await finished(channel.id, ['sent', 'sent']);
  const texts = mails.to(jane).map(({ text }) => text);
  expect(texts[0]).toContain('Shop has a certificate that expires in 13 days');
  expect(texts[0]).toContain('Certificate expires: 15 Jan 2026, 00:00 UTC');
  expect(texts[1]).toContain('Shop has no recent data');
});

test('a channel is broken as soon as the mail server permanently refuses all recipients', async () => {
  const acme = v7();
  const channel = await newChannel(acme, address('550.'), address('553.'));
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  const [row] = await finished(channel.id, ['held']);
  expect(row).toMatchObject({ attempts: 1, last_error: expect.stringContaining('refused every recipient') });
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: false, brokenReason: row?.last_error });
});

test('if the mail server refuses one recipient, the other recipients still get the email', async () => {
  const acme = v7();
  const jane = address();
  const channel = await newChannel(acme, address('550.'), jane);
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(channel.id, ['sent']);
  expect(mails.to(jane)).toHaveLength(1);
});

test('a retry sends the email only to the recipients that were temporarily rejected', async () => {
  const acme = v7();
  const [jane, joe] = [address(), address('450.')];
  const channel = await newChannel(acme, jane, joe);
  for (const time of ['10:00', '11:00', '12:00']) {
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown(`2026-01-01T${time}:00Z`));
  }
  const rows = await retried(channel.id, 3);
  expect(mails.to(jane)).toHaveLength(3);
  expect(JSON.stringify(rows)).not.toContain(jane);
  // One of the recipients accepts the email, so the channel stays enabled.
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });

  const [jill, jack] = [address(), address('once-450.')];
  const other = await newChannel(acme, jill, jack);
  await fixture.publish(aMonitor(acme, [other.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(other.id, ['sent']);
  expect([mails.to(jill).length, mails.to(jack).length]).toEqual([1, 1]);
});

test('the email to a temporarily rejected recipient is retried', async () => {
  const acme = v7();
  const channel = await newChannel(acme, address('450.'));
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  await retried(channel.id, 1);
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
});

test("a refused sender address does not mark the channel as broken, and tenants do not see the mail server's response", async () => {
  const acme = v7();
  const jane = address();
  const channel = await newChannel(acme, jane);
  mails.response(554);
  for (const time of ['10:00', '11:00', '12:00', '13:00']) {
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown(`2026-01-01T${time}:00Z`));
  }
  const rows = await retried(channel.id, 4);
  mails.response(undefined);
  for (const { last_error } of rows) {
    expect(last_error).toBe('the mail could not be handed to the SMTP server (554)');
  }
  expect(fixture.logged.join('')).toContain('the server at 10.1.2.3 says no to');
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
});

test('a test alert is sent as an email', async () => {
  const acme = v7();
  const jane = address();
  const channel = await newChannel(acme, jane);
  await fixture.rpc.testChannel({ id: channel.id }, await fixture.as(acme));
  expect(mails.to(jane)[0]?.text).toContain('Test alert came through');
});

test("logs, responses, deliveries and attempts do not contain recipients' addresses", async () => {
  const acme = v7();
  const [known, unknown, late] = [address(), address('550.'), address('450.')];
  const channels = [await newChannel(acme, known, unknown, late), await newChannel(acme, unknown)];
  await fixture.publish(
    aMonitor(
      acme,
      channels.map(({ id }) => id),
    ).wentDown('2026-01-01T10:00:00Z'),
  );
  const [mixed, hopeless] = channels.map(({ id }) => id);
  await finished(hopeless ?? '', ['held']);
  // This channel also gets the alert about the broken channel.
  await retried(mixed ?? '', 2);
  const { deliveries } = await fixture.rpc.listChannelDeliveries(
    { channelId: channels[0]?.id ?? '' },
    await fixture.as(acme),
  );
  const places = {
    answers: deliveries.map(({ event, error, attempts }) => [event, error, attempts.map((attempt) => attempt.error)]),
    logs: fixture.logged,
    rows: await fixture.query('select * from delivery where organization_id = $1', [acme]),
    attempts: await fixture.query('select * from delivery_attempt'),
    channels: await fixture.query('select * from channel'),
  };
  expect(fixture.logged.join('')).toContain('(an address)');
  for (const [place, content] of Object.entries(places)) {
    for (const one of [known, unknown, late]) expect(JSON.stringify(content), place).not.toContain(one);
  }
});

test('an email channel without an SMTP server stays enabled, and its deliveries name the missing setting', async () => {
  await using bare = await notifierFixture();
  const acme = v7();
  await confirmRecipients(bare, acme, ['jane@example.com']);
  const channel = await bare.createChannel(acme, { recipients: ['jane@example.com', 'joe@example.com'] }, 'email');
  const pending = await bare.createChannel(acme, { recipients: ['joe@example.com'] }, 'email');
  for (const time of ['10:00', '11:00', '12:00', '13:00']) {
    await bare.publish(aMonitor(acme, [channel.id, pending.id]).wentDown(`2026-01-01T${time}:00Z`));
  }
  await eventually(async () => {
    const rows = await bare.query('select status, attempts, last_error from delivery');
    const failed = { status: 'failed', attempts: 1, last_error: 'no SMTP server is configured (TOCSIN_SMTP_URL)' };
    expect(rows).toEqual(Array(8).fill(failed));
  });
  expect(await bare.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
});
