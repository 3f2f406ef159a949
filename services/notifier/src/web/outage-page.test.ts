import { createHash } from 'node:crypto';
import { deliveryStatuses } from '@tocsin/enums';
import { describe, expect, test } from 'vitest';
import { ALERT_KINDS, type Alert } from '../domain/alert.ts';
import type { Notification, Outage } from '../domain/outage.ts';
import { outagePage } from './outage-page.ts';
import { NOT_FOUND_PAGE } from './outage-shell.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

const down: Alert = {
  id: 'a1',
  organizationId: 'o1',
  eventId: 'e1',
  kind: 'monitor_down',
  monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example.com/health' },
  at: at('10:00:00'),
  downSince: undefined,
  error: 'status 502, expected 200',
  disruptionId: 'd1',
  occurredAt: at('10:00:01'),
};

const ongoing: Outage = {
  subject: { kind: 'disruption', id: 'd1' },
  alerts: [down],
  notifications: [
    { channelName: 'Ops', channelType: 'slack', event: 'monitor_down', status: 'sent', finishedAt: at('10:00:02') },
    { channelName: 'Night', channelType: 'sms', event: 'monitor_down', status: 'pending', finishedAt: undefined },
  ],
  rounds: [
    {
      at: at('10:00:00'),
      results: [
        { region: 'us-east', outcome: 'fail', error: 'status 502, expected 200' },
        { region: 'eu-west', outcome: 'pass', error: '' },
      ],
    },
  ],
  disruption: { acknowledgement: undefined, resolvedAt: undefined },
  statusPageUrl: 'https://tocsin.example.com/s/acme',
};

const render = (changes: Partial<Outage> = {}) => outagePage({ ...ongoing, ...changes }, at('10:12:05'));

/** Returns the page text that a reader sees. */
const textOf = ({ text }: { text: string }) =>
  text
    .replace(/<(style|title)>.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the outage page', () => {
  test('the page shows the monitor, the start, the result of each region, and who was alerted', () => {
    const text = textOf(render());
    for (const part of [
      'Shop is down',
      'For 12 min 5 s , since 1 Jan 2026, 10:00:00 UTC',
      'status 502, expected 200',
      'https://shop.example.com/health',
      'Failed in us-east status 502, expected 200',
      'Passed in eu-west',
      'Ops Slack Down Arrived 1 Jan 2026, 10:00:02 UTC',
      'Night SMS Down On its way',
      'https://tocsin.example.com/s/acme',
      'I am taking care of it',
    ])
      expect(text).toContain(part);
  });

  test('the page shows the end of an outage, and no longer has an acknowledge button', () => {
    const recovered: Alert = { ...down, kind: 'monitor_recovered', at: at('10:05:00'), downSince: at('10:00:00') };
    const page = render({ alerts: [down, recovered] });
    expect(textOf(page)).toContain(
      'Shop was down For 5 min , from 1 Jan 2026, 10:00:00 UTC to 1 Jan 2026, 10:05:00 UTC',
    );
    expect(page.text).not.toContain('<form');
  });

  test('the page shows the name of the person who acknowledged', () => {
    const acknowledgement = { at: at('10:01:00'), by: 'Jane (by the link)' };
    const page = render({ disruption: { acknowledgement, resolvedAt: undefined } });
    expect(textOf(page)).toContain('Jane (by the link) is taking care of it, since 1 Jan 2026, 10:01:00 UTC');
    expect(page.text).not.toContain('<form');
  });

  test('the page says which parts are unknown while other services are unavailable', () => {
    const page = render({ rounds: undefined, disruption: undefined, statusPageUrl: undefined });
    expect(textOf(page)).toContain('Last checks Not available right now.');
    expect(page.text).not.toContain('<form');
  });

  test.each(ALERT_KINDS)('the page describes an alert of kind %s without an outage', (kind) => {
    const alert: Alert = { ...down, kind, disruptionId: undefined };
    const page = render({ subject: { kind: 'alert', id: 'a1' }, alerts: [alert], disruption: undefined });
    expect(textOf(page)).toMatch(kind === 'test' ? /The test alert came through At/ : /Shop .* (At|since) /);
  });

  test.each(deliveryStatuses.names)('the page describes the delivery status %s', (status) => {
    const finishedAt = status === 'pending' ? undefined : at('10:00:02');
    const notification = {
      channelName: 'Ops',
      channelType: 'slack',
      event: 'monitor_down',
      status,
      finishedAt,
    } as const;
    expect(textOf(render({ notifications: [notification] }))).toMatch(/Ops Slack Down [A-Z]/);
  });

  test.each([
    ['quiet_hours', 'quiet hours'],
    ['limit', 'limit per hour'],
    ['flapping', 'flapping'],
    ['storm', 'many changes at once'],
  ] as const)('the page shows until when and why a notification waits: %s', (reason, text) => {
    const waiting: Notification = {
      channelName: 'Ops',
      channelType: 'slack',
      event: 'monitor_down',
      status: 'grouped',
      finishedAt: undefined,
    };
    const page = render({ notifications: [{ ...waiting, wait: { reason, until: at('11:00:00') } }] });
    expect(textOf(page)).toContain(`Ops Slack Down Waits until 1 Jan 2026, 11:00:00 UTC (${text})`);
    expect(textOf(render({ notifications: [waiting] }))).toContain(
      'Ops Slack Down Named in a message with others As of',
    );
  });

  test('the page of a message about several monitors lists the monitors with states and links, but without check results', () => {
    const about = { monitorId: 'm1', at: '2026-01-01T10:00:00.000Z' };
    const page = render({
      subject: { kind: 'alert', id: 'a1' },
      alerts: [{ ...down, kind: 'monitors_changed', disruptionId: undefined }],
      disruption: undefined,
      changes: [
        { ...about, kind: 'monitor_down', name: 'Till <1>', error: 'status 502', outageLink: 'https://t.example/o/x' },
        { ...about, kind: 'monitor_recovered', name: 'Cart', error: '', count: 2 },
      ],
    });
    expect(textOf(page)).toContain('Till &lt;1&gt; Down since 1 Jan 2026, 10:00:00 UTC status 502');
    expect(textOf(page)).toContain('Cart 2 changes Up again since 1 Jan 2026, 10:00:00 UTC');
    expect(page.text.match(/<a href="https:\/\/t.example\/o\/x">/g)).toHaveLength(1);
    expect(textOf(page)).not.toContain('Last checks');
  });

  test('the page escapes text from tenants and targets, and links only to http(s) URLs', () => {
    const nasty = '"><script>alert(1)</script>';
    const page = render({
      alerts: [{ ...down, error: nasty, monitor: { id: 'm1', name: nasty, url: 'javascript:alert(1)' } }],
      notifications: [
        { channelName: nasty, channelType: 'slack', event: 'monitor_down', status: 'sent', finishedAt: undefined },
      ],
      rounds: [{ at: at('10:00:00'), results: [{ region: nasty, outcome: 'fail', error: nasty }] }],
      disruption: { acknowledgement: { at: at('10:01:00'), by: nasty }, resolvedAt: undefined },
    });
    expect(page.text).not.toMatch(/<script|href="javascript/);
    expect(page.text).toContain('&quot;&gt;&lt;script&gt;');
  });

  test('the page has a content security policy that allows only its own styles', () => {
    const { text, contentSecurityPolicy } = render();
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/ style=| on\w+=/);
    expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
  });

  test('the page for an unknown link says that there is nothing at this link', () => {
    expect(textOf(NOT_FOUND_PAGE)).toContain('There is nothing at this link');
  });
});
