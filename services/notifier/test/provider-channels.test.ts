import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { isPager } from '../src/domain/incident.ts';
import { channelFixture } from './channel-fixture.ts';
import { type ProviderCase, providers } from './providers.ts';
import type { Answer, Received } from './receiver.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver, finished } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

describe.each(providers)('a channel of type $type', (provider) => {
  const { type, path, yes, no, later } = provider;
  const newChannel = async (organizationId: string) =>
    (await fixture.createChannel(organizationId, provider.config(receiver.url), type)).id;

  /**
   * Sets the responses to the next requests on the path, in order. The last response repeats. Returns a function that
   * returns the requests that have arrived since this call.
   */
  const answers = (...wanted: Answer[]) => {
    const known = receiver.on(path).length;
    receiver.answer(path, (nth) => wanted[Math.min(nth - known, wanted.length - 1)] ?? yes);
    return () => receiver.on(path).slice(known);
  };

  test('the channel gets the alerts about an outage and its recovery', async () => {
    const acme = v7();
    const received = answers(yes);
    const id = await newChannel(acme);
    const monitor = aMonitor(acme, [id]);
    await fixture.publish(
      monitor.wentDown('2026-01-01T10:00:00Z'),
      monitor.recovered('2026-01-01T10:02:05Z', '2026-01-01T10:00:00Z'),
    );
    await finished(id, ['sent', 'sent']);
    const [down, recovered] = received();
    expect(bodyOf(down)).toMatchObject(about(monitor.id, provider.down));
    expect(bodyOf(recovered)).toMatchObject(about(monitor.id, provider.recovered));
    const headers = { 'content-type': 'application/json; charset=utf-8', ...provider.headers };
    expect(down?.headers).toMatchObject(headers);
    const ends = provider.recoveredPath?.replace('{monitor}', monitor.id);
    if (ends !== undefined) expect(recovered?.path).toBe(ends);
  });

  test('a final refusal marks the channel as broken, with a reason that contains advice', async () => {
    const acme = v7();
    const received = answers(no);
    const id = await newChannel(acme);
    await fixture.publish(aMonitor(acme, [id]).wentDown('2026-01-01T10:00:00Z'));
    await finished(id, ['held']);
    expect(received()).toHaveLength(1);
    expect(await fixture.getChannel(acme, id)).toMatchObject({ enabled: false, brokenReason: no.reason });
  });

  test('the channel gets an alert again after rejecting it temporarily', async () => {
    const acme = v7();
    const received = answers(later, yes);
    const id = await newChannel(acme);
    await fixture.publish(aMonitor(acme, [id]).wentDown('2026-01-01T10:00:00Z'));
    const [row] = await finished(id, ['sent']);
    expect(row).toMatchObject({ outcomes: ['failed', 'delivered'] });
    const [first, second] = received().map(bodyOf);
    expect(second).toEqual(first);
    expect(await fixture.getChannel(acme, id)).toMatchObject({ enabled: true });
  });

  test('testChannel() sends a test alert, and returns the reason if the provider refuses it', async () => {
    const acme = v7();
    const closes = isPager(type);
    const received = closes ? answers(yes, yes, no) : answers(yes, no);
    const id = await newChannel(acme);
    const { delivery } = await fixture.rpc.testChannel({ id }, await fixture.as(acme));
    expect(delivery).toMatchObject({ event: 'test', status: DeliveryStatus.SENT });
    expect(received()[0]?.body.replaceAll('+', ' ')).toContain('Test alert came through');
    const failed = await fixture.rpc.testChannel({ id }, await fixture.as(acme));
    expect(failed.delivery).toMatchObject({ status: DeliveryStatus.FAILED, error: no.reason });
  });
});

/** Parses the body of a request. Some providers accept forms, and the others accept JSON. */
function bodyOf(request: Received | undefined): unknown {
  const isForm = request?.headers['content-type'] === 'application/x-www-form-urlencoded';
  return isForm ? Object.fromEntries(new URLSearchParams(request.body)) : JSON.parse(request?.body ?? '');
}

function about(monitorId: string, body: ProviderCase['down']): ProviderCase['down'] {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('{monitor}', monitorId) : value,
    ]),
  );
}
