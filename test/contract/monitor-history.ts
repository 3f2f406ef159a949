import { createServer } from 'node:https';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { selfSigned } from '@tocsin/testing/certificates';
import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, idleScript } from './fixture.ts';
import { PICTURE, sendPicture, sendSeen } from './seen.ts';

const DAY_MS = 86_400_000;

export function historyOfMonitors(fixture: () => Fixture): void {
  const idle = async () => (await fixture().mine.create('/monitors', idleMonitor())).id;
  const get = (path: string) => fixture().mine.call('GET', path);

  test('uptime and response times cover the requested range, by default the last day', async () => {
    const id = await idle();
    await sendSeen(
      fixture().network,
      id,
      { secondsAgo: 60, phases: { total: 100 } },
      { secondsAgo: 120, phases: { total: 100 }, region: 'far' },
      { secondsAgo: 180, outcome: CheckOutcome.FAIL, error: 'status 502' },
      { secondsAgo: 240, outcome: CheckOutcome.UNKNOWN },
      { secondsAgo: 5 * 3_600, outcome: CheckOutcome.TIMEOUT },
      { secondsAgo: 5 * 3_600 + 60, outcome: CheckOutcome.ERROR },
    );
    const all = { pass: 2, fail: 1, error: 1, timeout: 1, total: 5 };
    for (const range of ['', '?range=6h', '?range=24h', '?range=7d', '?range=30d', '?range=90d']) {
      await eventually(async () =>
        expect((await get(`/monitors/${id}/uptime${range}`)).body, range).toEqual({
          // One region passed one of its four checks (25 %), and the other region passed its only check.
          data: { uptime_pct: 62.5, distribution: all },
        }),
      );
    }
    expect((await get(`/monitors/${id}/uptime?range=1h`)).body).toEqual({
      data: { uptime_pct: 75, distribution: { pass: 2, fail: 1, error: 0, timeout: 0, total: 3 } },
    });
    const { body } = await get(`/monitors/${id}/response-times`);
    const { data } = body as {
      data: { p95: number; by_location: { location: string; p95: number; checks: number }[] };
    };
    expect(data.by_location.map(({ location, checks }) => [location, checks])).toEqual([
      ['far', 1],
      ['local', 1],
    ]);
    for (const p95 of [data.p95, ...data.by_location.map((entry) => entry.p95)]) {
      expect(Math.abs(p95 - 100)).toBeLessThanOrEqual(2);
      expect(p95).toBe(Number(p95.toFixed(1)));
    }
  });

  test('without data, uptime and response times are null, runs and transitions are empty, and the certificate is not found', async () => {
    const id = await idle();
    const distribution = { pass: 0, fail: 0, error: 0, timeout: 0, total: 0 };
    expect((await get(`/monitors/${id}/uptime`)).body).toEqual({ data: { uptime_pct: null, distribution } });
    expect((await get(`/monitors/${id}/response-times`)).body).toEqual({ data: { p95: null, by_location: [] } });
    expect((await get(`/monitors/${id}/runs`)).body).toEqual({ data: [] });
    expect((await get(`/monitors/${id}/transitions`)).body).toEqual({ data: [] });
    expect(await get(`/monitors/${id}/cert`)).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
  });

  test.each(['uptime', 'response-times'])(
    'an invalid range for %s is refused with an error for the parameter',
    async (what) => {
      const id = await idle();
      for (const range of ['2h', '1H', '24', '', '91d', '1h&range=6h']) {
        const response = await get(`/monitors/${id}/${what}?range=${range}`);
        expect(response, range).toMatchObject({
          status: 422,
          body: { error: { errors: { range: expect.any(Array) } } },
        });
      }
      expect(await get(`/monitors/${id}/${what}?range=2d`)).toMatchObject({
        body: { error: { errors: { range: ['must be one of 1h, 6h, 24h, 7d, 30d, 90d'] } } },
      });
    },
  );

  test('the latest certificate is returned with the fields of the API', async () => {
    const id = await idle();
    const certificate = {
      fingerprint: 'ab'.repeat(32),
      issuer: "Let's Encrypt",
      subject: 'shop.example.com',
      valid: true,
      notAfter: timestampFromDate(new Date(Date.now() + 60.5 * DAY_MS)),
    };
    await sendSeen(fixture().network, id, { secondsAgo: 1, certificate });
    await eventually(async () =>
      expect((await get(`/monitors/${id}/cert`)).body).toEqual({
        data: {
          cert_expiry: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          cert_valid: true,
          cert_issuer: "Let's Encrypt",
          cert_subject: 'shop.example.com',
          days_remaining: 60,
        },
      }),
    );
  });

  test('runs can be paged, and contain the result of each region', async () => {
    const id = await idle();
    const phases = { dns: 1, connect: 2, tls: 3, firstByte: 4, total: 10 };
    const seen = [1, 2, 3].map((minute) => ({
      secondsAgo: minute * 60,
      statusCode: 200,
      phases,
    }));
    await sendSeen(fixture().network, id, ...seen);
    const first = await eventually(async () => {
      const response = await get(`/monitors/${id}/runs?limit=2`);
      expect(response.body).toMatchObject({ data: [{}, {}] });
      expect(response.headers.get('link')).not.toBeNull();
      return response;
    });
    const [{ round_at: roundAt, results } = { round_at: '', results: [] }] = dataOf<{
      round_at: string;
      results: object[];
    }>(first);
    expect(results).toEqual([
      {
        region: 'local',
        outcome: 'pass',
        error: null,
        status_code: 200,
        phases: { dns: 1, connect: 2, tls: 3, first_byte: 4, total: 10 },
        checked_at: roundAt,
        lag_ms: 0,
      },
    ]);
    const next = /cursor=([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await get(`/monitors/${id}/runs?limit=2&cursor=${next}`);
    expect(dataOf(rest)).toHaveLength(1);
    expect(rest.headers.get('link')).toBeNull();
    for (const bad of ['limit=0', 'limit=1001', 'limit=x', 'cursor=%21']) {
      expect(await get(`/monitors/${id}/runs?${bad}`), bad).toMatchObject({ status: 422 });
      expect(await get(`/monitors/${id}/transitions?${bad}`), bad).toMatchObject({ status: 422 });
    }
  });

  test('a script run contains its steps, and a screenshot if the script failed', async () => {
    const { network, mine } = fixture();
    const { id } = await mine.create('/monitors', idleScript());
    const script = {
      steps: [
        { name: 'open', ms: 120.5, passed: true },
        { name: 'log in', ms: 30, passed: false },
      ],
      // The database can't store the character `\0`. A result that contains it must not block the other results.
      log: ['2 items', '\0'],
      line: 4,
      column: 9,
    };
    const [failed = new Date()] = await sendSeen(
      network,
      id,
      { secondsAgo: 60, outcome: CheckOutcome.FAIL, error: 'no \0 cart', script },
      { secondsAgo: 120, script: { steps: [], log: [] } },
    );
    await sendPicture(network, id, failed);
    const [first, second] = await eventually(async () => {
      const found = dataOf<{ id: string; results: { script?: object }[] }>(await get(`/monitors/${id}/runs`));
      expect(found).toHaveLength(2);
      return found;
    });
    const path = `/monitors/${id}/runs/${first?.id}/screenshot`;
    expect(first?.results[0]?.script).toEqual({
      steps: script.steps,
      log: ['2 items', '\ufffd'],
      location: { line: 4, column: 9 },
      screenshot_url: `${network.baseUrl}/api/v1${path}?region=local`,
    });
    const nothing = { steps: [], log: [], location: null, screenshot_url: null };
    expect(second?.results[0]?.script).toEqual(nothing);

    for (const query of ['', '?region=local']) {
      const response = await get(path + query);
      expect(response).toMatchObject({ status: 200, text: new TextDecoder().decode(PICTURE) });
      expect(response.headers.get('content-type')).toBe('image/jpeg');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const again = await mine.call('GET', path, undefined, {
      'if-none-match': (await get(path)).headers.get('etag') ?? '',
    });
    expect(again).toMatchObject({ status: 304, text: '' });
    for (const missing of [`${path}?region=far`, path.replace(`${first?.id}`, `${second?.id}`)]) {
      expect(await get(missing), missing).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
    }
    for (const bad of ['region=%00', 'region=', 'region=a&region=b', 'region=A%20b']) {
      expect(await get(`${path}?${bad}`), bad).toMatchObject({
        status: 422,
        body: { error: { errors: { region: [expect.any(String)] } } },
      });
    }
  });

  test('an on-demand check returns the duration of each phase', async () => {
    const { mine } = fixture();
    await using server = createServer(await selfSigned(['localhost']), (_request, response) => response.end('fine'));
    const config = { url: `https://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`, verify_tls: false };
    const { id } = await mine.create('/monitors', idleMonitor({ config }));
    const took = expect.any(Number);
    expect((await mine.call('POST', `/monitors/${id}/check`)).body).toMatchObject({
      data: [{ outcome: 'pass', phases: { connect: took, tls: took, first_byte: took, total: took } }],
    });
  });

  test('an on-demand check of a script returns its steps without a screenshot', async () => {
    const { mine } = fixture();
    const script = "await step('add up', () => console.log('2 items'));\n  expect(1, 'the sum').toBe(2);";
    const { id } = await mine.create(
      '/monitors',
      idleMonitor({ check_type: 'synthetic', timeout_ms: 60_000, config: { script } }),
    );
    expect((await mine.call('POST', `/monitors/${id}/check`)).body).toMatchObject({
      data: [
        {
          outcome: 'fail',
          script: {
            steps: [{ name: 'add up', ms: expect.any(Number), passed: true }],
            log: ['2 items'],
            location: { line: 2, column: expect.any(Number) },
            screenshot_url: null,
          },
        },
      ],
    });
  });

  test('a state change is returned with the rule that caused it and the votes of the regions', async () => {
    const { mine, target } = fixture();
    const { id } = await mine.create('/monitors', idleMonitor({ enabled: true, config: { url: target.url } }));
    const transitions = await eventually(async () => {
      const found = dataOf(await get(`/monitors/${id}/transitions`));
      expect(found).toHaveLength(1);
      return found;
    });
    expect(transitions).toEqual([
      {
        id: expect.any(String),
        state: 'up',
        previous_state: 'pending',
        error: null,
        explanation: '1 check passed',
        entered_at: expect.stringMatching(/\.\d{6}Z$/),
        rule: 'first_pass',
        rounds: 1,
        since: expect.any(String),
        votes: [{ region: 'local', outcome: 'pass', error: null }],
      },
    ]);
    expect(await mine.call('DELETE', `/monitors/${id}`)).toMatchObject({ status: 204 });
  });
}

function dataOf<Item>({ body }: { readonly body: unknown }): Item[] {
  return (body as { data: Item[] }).data;
}
