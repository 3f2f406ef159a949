import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { apisAt } from './provider-apis.ts';
import { startReceiver } from './receiver.ts';
import { aMonitor, notifierFixture } from './start-notifier.ts';

const receiver = await startReceiver();
// No private address range is allowed, as on a public installation.
const fixture = await notifierFixture({ allowedTargets: [], apiUrls: apisAt(receiver.url) });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test.each([
  ['plain http', () => receiver.url, 'must be an https URL'],
  ['a private address', () => receiver.url.replace('http:', 'https:'), 'must not be a private address'],
])('creating a channel with %s fails', async (_, url, problem) => {
  await expect(fixture.createChannel(v7(), { url: url() })).rejects.toMatchObject({
    fields: { 'config.url': [problem] },
  });
});

test('no connection is made to a host with a private address, and the delivery fails with a reason and without a retry', async () => {
  const acme = v7();
  const url = receiver.url.replace('http://127.0.0.1', 'https://localhost');
  const channel = await fixture.createChannel(acme, { url });
  await fixture.publish(aMonitor(acme, [channel.id]).wentDown('2026-01-01T10:00:00Z'));
  const [row] = await eventually(async () => {
    const rows = await fixture.query('select status, attempts, last_error from delivery where channel_id = $1', [
      channel.id,
    ]);
    expect(rows).toMatchObject([{ status: 'failed' }]);
    return rows;
  });
  expect(row).toMatchObject({
    attempts: 1,
    last_error: expect.stringContaining('does not resolve to a public address'),
  });
  expect(receiver.connections()).toBe(0);
  expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(true);
});

test("an operator can set a provider's URL to a private address, but a tenant cannot", async () => {
  const acme = v7();
  const webhookUrl = 'https://discord.com/api/webhooks/123/abc';
  const { id } = await fixture.createChannel(acme, { webhook_url: webhookUrl }, 'discord');
  await fixture.rpc.testChannel({ id }, await fixture.as(acme));
  expect(receiver.on('/api/webhooks/123/abc?wait=true')).toHaveLength(1);
  const inside = receiver.url.replace('http:', 'https:');
  await expect(
    fixture.createChannel(acme, { webhook_url: `${inside}/api/webhooks/1/a` }, 'discord'),
  ).rejects.toMatchObject({
    fields: { 'config.webhook_url': ['must not be a private address'] },
  });
  const outside = { alert_source_url: 'https://example.com/v2/alert_events/http/1', api_token: 't' };
  await expect(fixture.createChannel(acme, outside, 'incident_io')).rejects.toMatchObject({
    fields: { 'config.alert_source_url': ['must be on api.incident.io'] },
  });
});
