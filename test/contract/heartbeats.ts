import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import type { Answer } from '../api.ts';
import { type Call, type Fixture, idleMonitor } from './fixture.ts';

interface Job {
  readonly id: string;
  readonly heartbeat_token: string;
  readonly heartbeat_url: string;
}

/** Tests the public endpoint that jobs call. */
export function heartbeats(fixture: () => Fixture): void {
  const newJob = (changes: object = {}) =>
    fixture().mine.create<Job>(
      '/monitors',
      idleMonitor({
        check_type: 'heartbeat',
        config: {},
        enabled: true,
        confirm_down_minutes: 0,
        confirm_up_minutes: 0,
        ...changes,
      }),
    );

  /** Sends a request to a URL of the installation. */
  const send: Call = (method, url, ...rest) =>
    fixture().ask(method, url.replace(fixture().network.baseUrl, ''), ...rest);

  const up = { status: 200, body: { status: 'ok', state: 'up' } };

  test('the heartbeat URL contains the token, which has 32 URL-safe characters', async () => {
    const { heartbeat_token: token, heartbeat_url: url } = await newJob();
    expect(url).toBe(`${fixture().network.baseUrl}/api/heartbeat/${token}`);
    expect(token).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test("the first ping changes the monitor's state to up and returns the state", async () => {
    const job = await newJob();
    const response = await send('POST', job.heartbeat_url);
    expect(response).toMatchObject(up);
    expect(response.text).toBe('{"status":"ok","state":"up"}');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.has('x-ratelimit-limit')).toBe(false);
    expect(await fixture().mine.call('GET', `/monitors/${job.id}/state`)).toMatchObject({
      body: { data: { state: 'up', previous_state: 'pending' } },
    });
  });

  test('a HEAD request counts as a ping', async () => {
    const { heartbeat_url: url, id } = await newJob();
    expect(await send('HEAD', url)).toMatchObject({ status: 200, text: '' });
    expect(await fixture().mine.call('GET', `/monitors/${id}/state`)).toMatchObject({
      body: { data: { state: 'up' } },
    });
  });

  test.each<[string, unknown, string | undefined]>([
    ['GET', undefined, undefined],
    ['PUT', '{"not": json', 'application/json'],
    ['PATCH', 'x=y', 'application/x-www-form-urlencoded'],
    ['DELETE', undefined, undefined],
    ['POST', 'x'.repeat(900_000), 'text/plain'],
    ['POST', '', 'no content type at all'],
    ['OPTIONS', undefined, undefined],
    ['QUERY', undefined, undefined],
  ])('a %s request counts as a ping, whatever its body and content type', async (method, body, type) => {
    const { heartbeat_url: url } = await newJob();
    expect(await send(method, url, body, type === undefined ? {} : { 'content-type': type })).toMatchObject(up);
  });

  test('a HEAD request from fetch() changes the state of the monitor to up', async () => {
    const job = await newJob();
    expect(await fetch(job.heartbeat_url, { method: 'HEAD' })).toMatchObject({ status: 200 });
    expect(await fixture().mine.call('GET', `/monitors/${job.id}`)).toMatchObject({
      body: { data: { current_state: 'up' } },
    });
  });

  test.each(['GET', 'HEAD'])('a %s request can report a start, a failure and a ping', async (method) => {
    const { heartbeat_url: url, id } = await newJob();
    for (const [suffix, state] of [
      ['/start', 'pending'],
      ['/fail', 'down'],
      ['', 'up'],
    ]) {
      expect(await send(method, `${url}${suffix}`)).toMatchObject({ status: 200 });
      expect(await fixture().mine.call('GET', `/monitors/${id}`)).toMatchObject({
        body: { data: { current_state: state } },
      });
    }
  });

  test('/fail changes the state to down at once, /start changes nothing, and a ping recovers the monitor', async () => {
    const { heartbeat_url: url } = await newJob();
    expect(await send('POST', `${url}/start`)).toMatchObject({ status: 200, body: { status: 'ok', state: 'pending' } });
    expect(await send('POST', `${url}/fail`)).toMatchObject({ status: 200, body: { status: 'ok', state: 'down' } });
    expect(await send('POST', url)).toMatchObject(up);
  });

  test.each(['x', 'x'.repeat(32), `${'x'.repeat(31)}%20`, 'x'.repeat(90)])(
    'a ping with the unknown token %s is not found',
    async (token) => {
      for (const suffix of ['', '/fail', '/start']) {
        for (const method of ['GET', 'HEAD', 'POST']) {
          const response = await send(method, `/api/heartbeat/${token}${suffix}`);
          expect(response).toMatchObject({ status: 404, text: method === 'HEAD' ? '' : '{"error":"not_found"}' });
        }
      }
    },
  );

  test('the seventh ping in a minute is refused', async () => {
    const { heartbeat_url: url } = await newJob();
    const responses: Answer[] = [];
    for (let ping = 0; ping < 7; ping += 1) responses.push(await send('POST', url));
    expect(responses.slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(responses[6]).toMatchObject({ status: 429, text: '{"error":"rate_limited"}' });
    expect(responses[6]?.headers.get('retry-after')).toBe('60');
  });

  test('the URL of a deleted heartbeat monitor is not found', async () => {
    const { id, heartbeat_url: url } = await newJob();
    await fixture().mine.call('DELETE', `/monitors/${id}`);
    expect(await send('POST', url)).toMatchObject({ status: 404 });
  });

  test('no log contains a token, not even after a request to a misspelled URL', async () => {
    const { heartbeat_token: token, heartbeat_url: url } = await newJob();
    await send('POST', url);
    expect(await send('POST', `${url}/finish`)).toMatchObject({ status: 404, text: '{"error":"not_found"}' });
    const { network } = fixture();
    await eventually(async () => expect(await network.readLog('gateway')).toContain('/api/heartbeat/*'));
    expect(await network.readLog('gateway')).not.toContain(token);
    expect(await network.readLog('monitor')).not.toContain(token);
  });

  test("a heartbeat monitor can't be checked on demand", async () => {
    const { id } = await newJob();
    expect(await fixture().mine.call('POST', `/monitors/${id}/check`)).toMatchObject({
      status: 422,
      body: {
        error: { errors: { check_type: ["heartbeat monitors can't be checked from here: they wait to be pinged"] } },
      },
    });
  });
}
