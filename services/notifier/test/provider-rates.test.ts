import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, newPath, finished } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const DOWN_AT = '2026-01-01T10:00:00Z';

/** Maximum time by which a message arrives late on a busy machine, so that the next one seems to be early. */
const TOLERANCE_MS = 300;

test("two replicas together do not exceed a provider's documented rate, and lose no messages", async () => {
  const acme = v7();
  const path = newPath();
  receiver.answer(path, () => ({ status: 200, body: 'ok' }));
  const { id } = await fixture.createChannel(acme, { webhook_url: `${receiver.url}${path}` }, 'slack');
  await fixture.publish(...Array.from({ length: 5 }, () => aMonitor(acme, [id]).wentDown(DOWN_AT)));
  await finished(id, Array(5).fill('sent'));
  const times = receiver.on(path).map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(gaps).toHaveLength(4);
  // Slack allows one message per second per channel.
  expect(Math.min(...gaps)).toBeGreaterThan(1_000 - TOLERANCE_MS);
});

test('all of 120 alerts arrive at a receiver that returns 429 for a while after every 20 alerts', async () => {
  const acme = v7();
  const path = newPath();
  let taken = 0;
  let openAt = 0;
  receiver.answer(path, () => {
    if (performance.now() < openAt) return { status: 429, headers: { 'retry-after': '1' } };
    taken += 1;
    if (taken % 20 === 0) openAt = performance.now() + 900;
    return { status: 204 };
  });
  const { id } = await fixture.createChannel(acme, { url: `${receiver.url}${path}` });
  await fixture.publish(...Array.from({ length: 120 }, () => aMonitor(acme, [id]).wentDown(DOWN_AT)));
  await eventually(
    async () => {
      const rows = await fixture.deliveriesOf(id);
      expect(rows.filter(({ status }) => status === 'sent')).toHaveLength(120);
    },
    { timeoutMs: 25_000 },
  );
  expect(taken).toBe(120);
  expect((await fixture.getChannel(acme, id))?.enabled).toBe(true);
});

test('a 200 is a success even if the body never ends', async () => {
  const acme = v7();
  const path = newPath();
  receiver.answer(path, () => ({ status: 200, body: 'x', headers: { 'content-length': '1000' } }));
  const { id } = await fixture.createChannel(acme, { url: `${receiver.url}${path}` });
  await fixture.publish(aMonitor(acme, [id]).wentDown(DOWN_AT));
  await finished(id, ['sent']);
  expect(receiver.on(path)).toHaveLength(1);
});

test.each([
  ['slack', 'no_service', 'held'],
  ['slack', '<html>Log in</html>', 'pending'],
  ['mattermost', '<html>Log in</html>', 'pending'],
])('a response from %s with status 200 and the body %s is a failure', async (type, body, status) => {
  const acme = v7();
  const path = newPath();
  receiver.answer(path, () => ({ status: 200, body }));
  const { id } = await fixture.createChannel(acme, { webhook_url: `${receiver.url}${path}` }, type);
  await fixture.publish(aMonitor(acme, [id]).wentDown(DOWN_AT));
  await eventually(async () => {
    const [row] = await fixture.deliveriesOf(id);
    expect(row?.status).toBe(status);
    expect(row?.last_error).toBeTruthy();
  });
});
