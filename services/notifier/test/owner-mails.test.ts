import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import { DisableReason, MonitorAutoDisabledSchema, MonitorDisableWarningSchema } from '@tocsin/proto/monitor/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { eventsOfMonitor } from './an-event.ts';
import { startReceiver } from './receiver.ts';
import { startMailServer } from './start-mail-server.ts';
import { aMonitor, BASE_URL, notifierFixture } from './start-notifier.ts';

/** Data that the fake identity service returns: owners by organization, and names of organizations. */
const owners = new Map<string, { id: string; email: string }[]>();
const names = new Map<string, string>();
let identityIsAway = false;
const mails = await startMailServer();
const receiver = await startReceiver();
const fixture = await notifierFixture(
  { smtpUrl: mails.url },
  {
    organizations: { nameOf: async (id) => names.get(id) },
    owners: {
      async of(organizationId) {
        if (identityIsAway) throw new Error('identity is unavailable');
        return owners.get(organizationId) ?? [];
      },
    },
  },
);
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

/** Creates an organization with two owners. */
function newOrganization(...prefixes: string[]) {
  const id = v7();
  const found = ['jane', 'joe'].map((name, index) => ({
    id: v7(),
    email: `${prefixes[index] ?? ''}${name}-${id}@example.com`,
  }));
  owners.set(id, found);
  return { id, addresses: found.map(({ email }) => email) };
}

function aDoomedMonitor(organizationId: string) {
  const id = v7();
  const monitor = { id, organizationId, name: 'Shop' };
  const about = { organizationId, aggregateId: id };
  const downSince = timestampFromDate(new Date('2026-01-01T10:00:00Z'));
  const reason = DisableReason.DOWN_TOO_LONG;
  const often = { reason: DisableReason.TOO_MANY_DISRUPTIONS, disruptions: 8 };
  return {
    id,
    warning: (): OutgoingEvent => {
      const disableAt = timestampFromDate(new Date('2026-01-03T10:00:00Z'));
      return outgoingEvent(MonitorDisableWarningSchema, { monitor, reason, downSince, disableAt }, about);
    },
    warningForDisruptions: () => outgoingEvent(MonitorDisableWarningSchema, { monitor, ...often }, about),
    disabled: () => outgoingEvent(MonitorAutoDisabledSchema, { monitor, reason, downSince }, about),
  };
}

/** Waits until an owner has got this number of emails, and returns the emails. */
const inbox = (address: string, count: number) =>
  eventually(() => {
    expect(mails.to(address).map(({ headers }) => headers.subject)).toHaveLength(count);
    return mails.to(address);
  });

test('each owner gets one warning before a monitor is disabled, and one email afterwards', async () => {
  const acme = newOrganization();
  const other = newOrganization();
  const monitor = aDoomedMonitor(acme.id);
  const warning = monitor.warning();
  await fixture.publish(warning, monitor.disabled());
  await fixture.publishAgain(warning, 1);

  for (const address of acme.addresses) {
    const [first, second] = await inbox(address, 2);
    expect(first?.to).toEqual([address]);
    expect(first?.headers.subject).toBe('Shop will be disabled soon');
    expect(first?.text).toContain('since 1 Jan 2026, 10:00 UTC');
    expect(first?.text).toContain('it will be disabled at 3 Jan 2026, 10:00 UTC');
    expect(first?.text).toContain(`${BASE_URL}/api/v1/monitors/${monitor.id}`);
    expect(second?.headers.subject).toBe('Shop was disabled');
  }
  const ids = acme.addresses.flatMap((address) => mails.to(address).map(({ headers }) => headers['message-id']));
  expect(new Set(ids).size).toBe(4);
  for (const address of other.addresses) expect(mails.to(address)).toEqual([]);
});

test('an email names its organization, and is sent without the name if identity does not return the name', async () => {
  const [acme, nameless] = [newOrganization(), newOrganization()];
  names.set(acme.id, 'Acme <i>');
  await fixture.publish(aDoomedMonitor(acme.id).warning(), aDoomedMonitor(nameless.id).warning());
  const [mail] = await inbox(acme.addresses[0] ?? '', 1);
  expect(mail?.text).toContain('Organization: Acme <i>');
  expect(mail?.text).toContain('because you own Acme <i>, an organization that uses Tocsin.');
  expect(mail?.html).toContain('Acme &lt;i&gt;');
  const [other] = await inbox(nameless.addresses[0] ?? '', 1);
  expect(other?.text).toContain('because you own an organization that uses Tocsin.');
});

test('a warning about frequent disruptions contains their number and the limit', async () => {
  const acme = newOrganization();
  await fixture.publish(aDoomedMonitor(acme.id).warningForDisruptions());
  const [mail] = await inbox(acme.addresses[0] ?? '', 1);
  expect(mail?.text).toContain('8 disruptions');
  expect(mail?.text).toContain('With the 11th within 24 hours');
});

test('while identity is unavailable, emails to owners wait, but alerts are sent', async () => {
  identityIsAway = true;
  const acme = newOrganization();
  receiver.answer('/alerts', () => ({ status: 200 }));
  const channel = await fixture.createChannel(acme.id, { url: `${receiver.url}/alerts` });
  await fixture.publish(aDoomedMonitor(acme.id).warning());
  await fixture.publish(aMonitor(acme.id, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  await eventually(() => expect(receiver.on('/alerts')).toHaveLength(1));
  await eventually(() => expect(fixture.logged.join('')).toContain('identity is unavailable'));
  expect(mails.to(acme.addresses[0] ?? '')).toEqual([]);

  identityIsAway = false;
  for (const address of acme.addresses) await inbox(address, 1);
});

test('an email is not retried if the mail server refuses the address of an owner, and the other owners get their emails', async () => {
  const acme = newOrganization('550.');
  await fixture.publish(aDoomedMonitor(acme.id).warning());
  await inbox(acme.addresses[1] ?? '', 1);
  await eventually(async () => {
    const rows = await fixture.query(
      'select status, attempts from delivery where organization_id = $1 order by owner_address',
      [acme.id],
    );
    expect(rows).toEqual([
      { status: 'failed', attempts: 1 },
      { status: 'sent', attempts: 1 },
    ]);
  });
});

test('a temporarily rejected email is retried', async () => {
  const acme = newOrganization();
  mails.response(421);
  await fixture.publish(aDoomedMonitor(acme.id).warning());
  await eventually(async () => {
    const rows = await fixture.query('select from delivery where organization_id = $1 and attempts > 0', [acme.id]);
    expect(rows.length).toBeGreaterThan(0);
  });
  mails.response(undefined);
  for (const address of acme.addresses) await inbox(address, 1);
});

test('the email to owners about a broken channel does not contain the secrets of the channel', async () => {
  const acme = newOrganization();
  receiver.answer('/s3cret', () => ({ status: 410 }));
  const channel = await fixture.createChannel(acme.id, { url: `${receiver.url}/s3cret` }, 'webhook', 'Pager');
  await fixture.publish(aMonitor(acme.id, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  for (const address of acme.addresses) {
    const [mail] = await inbox(address, 1);
    expect(mail?.headers.subject).toBe('Alert channel Pager is broken');
    expect(mail?.text).toContain('returned 410');
    expect(mail?.text).toContain(`${BASE_URL}/api/v1/alert-channels/${channel.id}`);
    expect(`${mail?.text}${mail?.html}`).not.toContain('s3cret');
  }
});

test('only owners who got the email about a broken channel get an email when the channel is enabled again', async () => {
  const acme = newOrganization();
  receiver.answer('/gone', () => ({ status: 410 }));
  const channel = await fixture.createChannel(acme.id, { url: `${receiver.url}/gone` }, 'webhook', 'Pager');
  await fixture.publish(aMonitor(acme.id, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  for (const address of acme.addresses) await inbox(address, 1);
  await eventually(async () => {
    const sent = `select from delivery where organization_id = $1 and owner_id is not null and status = 'sent'`;
    expect(await fixture.query(sent, [acme.id])).toHaveLength(2);
  });
  const late = `late-${acme.id}@example.com`;
  owners.get(acme.id)?.push({ id: v7(), email: late });
  receiver.answer('/gone', () => ({ status: 200 }));
  await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, await fixture.as(acme.id));
  for (const address of acme.addresses) {
    const [, mail] = await inbox(address, 2);
    expect(mail?.headers.subject).toBe('Alert channel Pager is enabled again');
    expect(mail?.text).toContain('Somebody changed its configuration or enabled it.');
  }
  expect(mails.to(late)).toEqual([]);
});

test('owners get no email about a broken channel if the channel is enabled again before the addresses of the owners are known', async () => {
  identityIsAway = true;
  const acme = newOrganization();
  receiver.answer('/short', () => ({ status: 410 }));
  const channel = await fixture.createChannel(acme.id, { url: `${receiver.url}/short` }, 'webhook', 'Pager');
  await fixture.publish(aMonitor(acme.id, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  const unaddressed = 'select from owner_mail where organization_id = $1 and addressed_at is null';
  await eventually(async () => expect(await fixture.query(unaddressed, [acme.id])).toHaveLength(1));
  receiver.answer('/short', () => ({ status: 200 }));
  await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, await fixture.as(acme.id));
  expect(await fixture.query(unaddressed, [acme.id])).toEqual([]);
  identityIsAway = false;
  // Wait for a later email. Any earlier email would have arrived before it.
  await fixture.publish(aDoomedMonitor(acme.id).warning());
  for (const address of acme.addresses) {
    expect((await inbox(address, 1))[0]?.headers.subject).toBe('Shop will be disabled soon');
  }
});

test('the email to owners about a disabled webhook subscription does not contain the path of its URL', async () => {
  const acme = newOrganization();
  receiver.answer('/gone/s3cret', () => ({ status: 410 }));
  const request = { url: `${receiver.url}/gone/s3cret`, events: ['monitor.created'] };
  const { subscription } = await fixture.subscriptions.createSubscription(request, await fixture.as(acme.id));
  await fixture.publish(eventsOfMonitor(acme.id).created());
  for (const address of acme.addresses) {
    const [mail] = await inbox(address, 1);
    expect(mail?.headers.subject).toBe(`A webhook to ${new URL(receiver.url).host} was disabled`);
    expect(mail?.text).toContain(`${BASE_URL}/api/v1/webhooks/${subscription?.id}`);
    expect(`${mail?.text}${mail?.html}`).not.toContain('s3cret');
  }
});
