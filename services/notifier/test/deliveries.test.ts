import { createHmac } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor, BASE_URL } from './start-notifier.ts';

/** Matches the URL of an outage page, which requires no credentials. */
const OUTAGE_URL = new RegExp(`^${BASE_URL}/o/[A-Za-z0-9_-]{44}$`);

const fixture = await channelFixture();
const { receiver, newPath, newChannel, deliveriesOf, finished, events } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

test('an outage and its recovery reach every linked channel once, even if events are repeated', async () => {
  const acme = v7();
  const channels = [await newChannel(acme), await newChannel(acme)];
  const theirs = await newChannel(v7());
  const monitor = aMonitor(acme, [...channels.map(({ id }) => id), theirs.id, v7()]);
  const down = monitor.wentDown('2026-01-01T10:00:00Z');
  await fixture.publish(down);
  await fixture.publishAgain(down, 1);
  await fixture.publishAgain(down, 1);
  await fixture.publish(monitor.recovered('2026-01-01T10:02:05Z', '2026-01-01T10:00:00Z'));

  for (const { id, path } of channels) {
    await finished(id, ['sent', 'sent']);
    expect(events(path)).toEqual(['monitor_down', 'monitor_recovered']);
    const [first, second] = receiver.on(path).map(({ body }) => JSON.parse(body));
    expect(first).toEqual({
      event: 'monitor_down',
      status: 'down',
      monitor: {
        id: monitor.id,
        name: 'Shop',
        url: 'https://shop.example.com/health',
        api_url: `${BASE_URL}/api/v1/monitors/${monitor.id}`,
      },
      channel_name: 'Ops',
      timestamp: '2026-01-01T10:00:00Z',
      error: 'status 502, expected 200',
      downtime_seconds: null,
      downtime_duration: null,
      cert_expiry_date: null,
      days_remaining: null,
      disruption_id: null,
      outage_url: expect.stringMatching(OUTAGE_URL),
      late: false,
    });
    expect(second).toMatchObject({ status: 'up', downtime_seconds: 125, error: null });
  }
  expect(receiver.on(theirs.path)).toEqual([]);
});

test('missing data causes an alert, new data causes a recovery, and resetting a monitor causes no message', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const monitor = aMonitor(acme, [channel.id]);
  await fixture.publish(monitor.startedOver('2026-01-01T10:00:00Z'), monitor.fellSilent('2026-01-01T11:00:00Z'));
  await fixture.publish(monitor.wasHeardAgain('2026-01-01T12:00:00Z', '2026-01-01T11:00:00Z'));
  await finished(channel.id, ['sent', 'sent']);
  expect(events(channel.path)).toEqual(['monitor_stale', 'monitor_recovered']);
  const [, recovery] = receiver.on(channel.path).map(({ body }) => JSON.parse(body));
  // The monitor was not down, so there is no downtime.
  expect(recovery).toMatchObject({ downtime_seconds: null });
});

test('an outage during maintenance causes no alert before the end of the maintenance', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const monitor = aMonitor(acme, [channel.id]);
  const outageId = v7();
  const due = monitor.alertDue('2026-01-01T10:00:00Z', outageId);
  await fixture.publish(monitor.wentDownUnderMaintenance('2026-01-01T10:00:00Z'), due);
  await fixture.publishAgain(due, 2);
  await finished(channel.id, ['sent']);
  const sent = receiver.on(channel.path).map(({ body }) => JSON.parse(body));
  const timestamp = '2026-01-01T10:00:00Z';
  expect(sent).toMatchObject([{ event: 'monitor_down', timestamp, error: 'status 502', disruption_id: outageId }]);
});

test('a webhook request has the body of the template, the configured headers and a valid signature', async () => {
  const acme = v7();
  const key = Buffer.from('a key that the receiver has');
  const channel = await newChannel(acme, {
    headers: { 'X-Team': 'ops', 'Content-Type': 'application/vnd.ops+json' },
    payload_template: '{"text": "{{monitor_name}} {{status}}: {{last_error}}{{nothing}}"}',
    signing_secret: `whsec_${key.toString('base64')}`,
  });
  await fixture.publish(aMonitor(acme, [channel.id], 'The "Shop"').wentDown('2026-01-01T10:00:00Z', 'no\nanswer'));
  await finished(channel.id, ['sent']);

  const [request] = receiver.on(channel.path);
  expect(JSON.parse(request?.body ?? '')).toEqual({ text: 'The "Shop" down: no\nanswer' });
  expect(request?.headers).toMatchObject({ 'x-team': 'ops', 'content-type': 'application/vnd.ops+json' });
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = request?.headers ?? {};
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${request?.body}`).digest('base64');
  expect(signature).toBe(`v1,${expected}`);
  expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
});

test('an alert whose body would be too long is not sent, and the channel gets later alerts', async () => {
  const acme = v7();
  const template = `{"event": "{{event}}", "text": "${'{{last_error}}'.repeat(199)}"}`;
  const channel = await newChannel(acme, { payload_template: template });
  const monitor = aMonitor(acme, [channel.id]);
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', '"'.repeat(1000)));
  const [refused] = await finished(channel.id, ['failed']);
  expect(refused).toMatchObject({
    attempts: 1,
    last_error:
      'the body from config.payload_template would be 398037 bytes, and at most 262144 are sent: ' +
      'use {{last_error}}, which takes up most of it, less often',
  });
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z', '2026-01-01T10:00:00Z'));
  await finished(channel.id, ['failed', 'sent']);
  expect(receiver.on(channel.path).map(({ body }) => JSON.parse(body))).toEqual([
    { event: 'monitor_recovered', text: '' },
  ]);
});

test('a template can contain the id of the disruption and the URL of its public page', async () => {
  const acme = v7();
  const template = '{"disruption": "{{disruption_id}}", "page": "{{ status_page_url }}"}';
  const channel = await newChannel(acme, { payload_template: template });
  const [shown, unseen] = [aMonitor(acme, [channel.id]), aMonitor(acme, [channel.id])];
  const outageId = v7();
  fixture.pages.set(shown.id, 'https://status.example.com/s/acme');
  await fixture.publish(
    shown.wentDown('2026-01-01T10:00:00Z', 'status 502', outageId),
    shown.recovered('2026-01-01T10:05:00Z', '2026-01-01T10:00:00Z', outageId),
  );
  await finished(channel.id, ['sent', 'sent']);
  await fixture.publish(unseen.fellSilent('2026-01-01T10:00:00Z'));
  await finished(channel.id, ['sent', 'sent', 'sent']);
  const inTheOpen = { disruption: outageId, page: 'https://status.example.com/s/acme' };
  expect(receiver.on(channel.path).map(({ body }) => JSON.parse(body))).toEqual([
    inTheOpen,
    inTheOpen,
    { disruption: '', page: '' },
  ]);
});

test('an alert is sent immediately after its commit', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const monitor = aMonitor(acme, [channel.id]);
  await fixture.publish(monitor.cameUp('2026-01-01T09:00:00Z'));
  const start = performance.now();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  const [request] = await eventually(() => {
    expect(receiver.on(channel.path)).toHaveLength(1);
    return receiver.on(channel.path);
  });
  // If workers only polled, this would take up to a second.
  expect((request?.at ?? Number.POSITIVE_INFINITY) - start).toBeLessThan(500);
});

describe('a failing receiver', () => {
  test('a failing receiver gets the alert again with the same id', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, (nth) => ({ status: nth < 2 ? 500 : 200 }));
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    const [row] = await finished(channel.id, ['sent']);
    expect(row).toMatchObject({ attempts: 3, last_error: null, outcomes: ['failed', 'failed', 'delivered'] });
    const ids = new Set(receiver.on(channel.path).map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(1);
  });

  test('a failing receiver gets the retry after the requested wait', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, (nth) =>
      nth === 0 ? { status: 503, headers: { 'retry-after': '1' } } : { status: 204 },
    );
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(channel.id, ['sent']);
    const [first, second] = receiver.on(channel.path).map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950);
  });

  test('a failing receiver gets the recovery only after the alert about the outage', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    receiver.answer(channel.path, (nth) => ({ status: nth < 4 ? 502 : 204 }));
    const monitor = aMonitor(acme, [channel.id]);
    await fixture.publish(
      monitor.wentDown('2026-01-01T10:00:00Z'),
      monitor.recovered('2026-01-01T10:05:00Z', '2026-01-01T10:00:00Z'),
    );
    const [down] = await finished(channel.id, ['sent', 'sent']);
    expect(down).toMatchObject({ attempts: 5, last_error: null });
    expect(events(channel.path)).toEqual([...Array(5).fill('monitor_down'), 'monitor_recovered']);
    expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(true);
  });

  test('a failing receiver does not delay other receivers', async () => {
    const acme = v7();
    const slow = await newChannel(acme);
    const quick = await newChannel(acme);
    const release = Promise.withResolvers<void>();
    receiver.answer(slow.path, async () => {
      await release.promise;
      return { status: 204 };
    });
    const monitors = Array.from({ length: 100 }, () => aMonitor(acme, [slow.id]));
    await fixture.publish(...monitors.map((monitor) => monitor.wentDown('2026-01-01T10:00:00Z')));
    await eventually(() => expect(receiver.on(slow.path).length).toBeGreaterThan(0));
    await fixture.publish(aMonitor(acme, [quick.id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(quick.id, ['sent']);
    release.resolve();
    await finished(slow.id, Array(100).fill('sent'));
    expect(new Set(receiver.on(slow.path).map(({ headers }) => headers['webhook-id'])).size).toBe(100);
    expect(receiver.on(slow.path)).toHaveLength(100);
  });
});

describe('a worker that crashes before it records the attempt', () => {
  test('another worker repeats an attempt that was not recorded, with the same id, and the delivery is marked as sent once', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const release = Promise.withResolvers<void>();
    receiver.answer(channel.path, async (nth) => {
      if (nth === 0) await release.promise;
      return { status: 200 };
    });
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
    // End the lease of the first worker.
    await fixture.query(`update delivery set leased_until = now() - interval '1 second' where channel_id = $1`, [
      channel.id,
    ]);
    const [row] = await finished(channel.id, ['sent']);
    expect(row?.outcomes).toEqual(['delivered']);
    release.resolve();

    // The first worker is still running. Its attempt is recorded and does not change the delivery.
    await eventually(async () => {
      const [late] = await deliveriesOf(channel.id);
      expect(late).toMatchObject({ status: 'sent', attempts: 1, outcomes: ['delivered', 'delivered'] });
    });
    expect(new Set(receiver.on(channel.path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('a worker cannot record a failure after another worker has taken over the delivery', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const [late, current] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    receiver.answer(channel.path, async (nth) => {
      await (nth === 0 ? late : current).promise;
      return { status: nth === 0 ? 500 : 200 };
    });
    await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
    await fixture.query(`update delivery set leased_until = now() - interval '1 second' where channel_id = $1`, [
      channel.id,
    ]);
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(2));

    late.resolve();
    const [row] = await eventually(async () => {
      const rows = await deliveriesOf(channel.id);
      expect(rows[0]?.outcomes).toEqual(['failed']);
      return rows;
    });
    expect(row).toMatchObject({ status: 'pending', attempts: 0, last_error: null });
    current.resolve();
    await finished(channel.id, ['sent']);
    expect(receiver.on(channel.path)).toHaveLength(2);
  });
});

test('a disabled channel gets no alerts', async () => {
  const acme = v7();
  const [disabled, enabled] = [await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: disabled.id, enabled: false }, await fixture.as(acme));
  await fixture.publish(aMonitor(acme, [disabled.id, enabled.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(enabled.id, ['sent']);
  expect(await deliveriesOf(disabled.id)).toEqual([]);
});

test('an alert to an unreachable receiver is retried, and the delivery contains the error', async () => {
  const acme = v7();
  const unknown = await fixture.createChannel(acme, { url: 'https://nowhere.invalid/x' });
  const closed = await fixture.createChannel(acme, { url: 'http://127.0.0.1:1/x' });
  await fixture.publish(aMonitor(acme, [unknown.id, closed.id]).wentDown('2026-01-01T10:00:00Z'));
  for (const [id, error] of [
    [unknown.id, 'host nowhere.invalid does not exist'],
    [closed.id, 'connection refused by 127.0.0.1:1'],
  ] as const) {
    await eventually(async () => {
      const [row] = await deliveriesOf(id);
      expect(row).toMatchObject({ status: 'pending', last_error: error });
      expect(row?.attempts).toBeGreaterThan(2);
    });
  }
});

test('Slack gets messages through a webhook and through its API', async () => {
  const acme = v7();
  const path = newPath();
  receiver.answer(path, () => ({ status: 200, body: 'ok' }));
  receiver.answer('/api/chat.postMessage', (nth) => ({
    status: 200,
    body: nth === 0 ? '{"ok":true}' : '{"ok":false,"error":"account_inactive"}',
  }));
  const byWebhook = await fixture.createChannel(acme, { webhook_url: `${receiver.url}${path}` }, 'slack');
  const asBot = await fixture.createChannel(acme, { bot_token: 'xoxb-1', channel_id: 'C0123' }, 'slack');
  await fixture.publish(aMonitor(acme, [byWebhook.id, asBot.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(byWebhook.id, ['sent']);
  await finished(asBot.id, ['sent']);

  expect(JSON.parse(receiver.on(path)[0]?.body ?? '').text).toBe('🔴 Shop is down: status 502, expected 200');
  const [call] = receiver.on('/api/chat.postMessage');
  expect(call?.headers.authorization).toBe('Bearer xoxb-1');
  expect(JSON.parse(call?.body ?? '')).toMatchObject({ channel: 'C0123', blocks: expect.any(Array) });

  // A 200 that contains a refusal is a failure.
  await fixture.publish(aMonitor(acme, [asBot.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(asBot.id, ['sent', 'held']);
  expect(await fixture.getChannel(acme, asBot.id)).toMatchObject({
    enabled: false,
    brokenReason:
      'Slack returned account_inactive: the bot was deleted. Install the app again and PATCH config.bot_token',
  });
});

test('a channel can be deleted during an attempt', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const deleted = Promise.withResolvers<void>();
  receiver.answer(channel.path, async () => {
    await deleted.promise;
    return { status: 500 };
  });
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  await eventually(() => expect(receiver.on(channel.path)).toHaveLength(1));
  await fixture.rpc.deleteChannel({ id: channel.id }, await fixture.as(acme));
  deleted.resolve();
  expect(await deliveriesOf(channel.id)).toEqual([]);
  const next = await newChannel(acme);
  await fixture.publish(aMonitor(acme, [channel.id, next.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(next.id, ['sent']);
});

test('the delay of a delivery is measured if its first attempt succeeds', async () => {
  const measured = async () => {
    const texts = await Promise.all(fixture.runtimes.map(({ metrics }) => metrics.metrics()));
    const lines = texts.join('\n').match(/^tocsin_delivery_delay_seconds_count\{.*type="webhook".*$/gm) ?? [];
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const acme = v7();
  const channel = await newChannel(acme);
  receiver.answer(channel.path, (nth) => ({ status: nth === 1 ? 500 : 200 }));
  const before = await measured();
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  await finished(channel.id, ['sent']);
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T11:00:00Z'));
  await finished(channel.id, ['sent', 'sent']);
  await eventually(async () => expect(await measured()).toBe(before + 1));
});

test('metrics show attempts, delays and waiting deliveries', async () => {
  const lines = (await Promise.all(fixture.runtimes.map(({ metrics }) => metrics.metrics()))).join('\n').split('\n');
  const labelled = (name: string, ...labels: string[]) =>
    lines.filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)));
  expect(labelled('tocsin_delivery_attempts_total', 'type="webhook"', 'outcome="delivered"')).not.toEqual([]);
  expect(labelled('tocsin_delivery_attempts_total', 'type="slack"', 'outcome="refused"')).not.toEqual([]);
  expect(labelled('tocsin_delivery_delay_seconds_count', 'type="webhook"')).not.toEqual([]);
  expect(labelled('tocsin_deliveries_pending')).toHaveLength(2);
});
