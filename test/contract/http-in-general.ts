import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';

const MEGABYTE = 1_000_000;

/** What holds for every endpoint, whatever it is about. */
export function httpInGeneral(fixture: () => Fixture): void {
  const call: Fixture['mine']['call'] = (...request) => fixture().mine.call(...request);

  test.each([
    ['{', 'half a body'],
    ['{"name": NaN}', 'what JSON has no word for'],
    ["{'name': 'x'}", 'single quotes'],
  ])('%s is no JSON', async (body) => {
    for (const path of ['/monitors', '/alert-channels', '/status-pages']) {
      expect(await call('POST', path, body)).toMatchObject({
        status: 400,
        body: { error: { type: 'bad_request', message: 'the body is not valid JSON' } },
      });
    }
  });

  test.each(['[]', '"text"', '5', 'null', ''])('%j is JSON, or nothing, but no object', async (body) => {
    const answer = await call('POST', '/monitors', body, { 'content-type': 'application/json' });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { type: 'validation_error' }, errors: { body: ['must be an object'] } },
    });
  });

  test('what the schema refuses and what only the service knows is told at once, and nothing is created', async () => {
    const before = (await call('GET', '/monitors')).body;
    const body = idleMonitor({
      ...{ name: '', interval_seconds: 29, timeout_ms: 'long' },
      ...{ config: { url: 'ftp://x' }, alert_channel_ids: ['5e0b0000-0000-7000-8000-000000000000'] },
    });
    expect(await call('POST', '/monitors', body)).toMatchObject({
      status: 422,
      body: {
        errors: {
          name: ['is required'],
          interval_seconds: ['must be between 30 and 86400'],
          timeout_ms: ['must be an integer'],
          'config.url': [expect.stringContaining('must be an http or https URL')],
          'alert_channel_ids.0': [expect.any(String)],
        },
      },
    });
    // All but the name is right: what was examined without it is not kept.
    expect(await call('POST', '/monitors', idleMonitor({ name: 5 }))).toMatchObject({
      body: { errors: { name: ['must be a string'] } },
    });
    expect((await call('GET', '/monitors')).body).toEqual(before);
  });

  test('a body of one megabyte is read, and a byte more is not', async () => {
    const withLength = (length: number) => {
      const body = JSON.stringify(idleMonitor({ ignored: '' }));
      return body.replace('"ignored":""', `"ignored":"${'x'.repeat(length - body.length)}"`);
    };
    expect(await call('POST', '/monitors', withLength(MEGABYTE))).toMatchObject({ status: 201 });
    expect(await call('POST', '/monitors', withLength(MEGABYTE + 1))).toMatchObject({
      status: 413,
      body: { error: { type: 'payload_too_large' } },
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp'])(
    'a body of %s is not taken',
    async (type) => {
      expect(await call('POST', '/monitors', '{}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: { type: 'unsupported_media_type' } },
      });
    },
  );

  test('JSON may name its charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await call('POST', '/monitors', idleMonitor(), headers)).toMatchObject({ status: 201 });
  });

  test('an empty body that calls itself JSON is no body', async () => {
    const { target, mine } = fixture();
    const config = { url: target.url };
    const { id } = await mine.create('/monitors', idleMonitor({ config }));
    for (const body of ['', undefined]) {
      const answer = await call('POST', `/monitors/${id}/check`, body, { 'content-type': 'application/json' });
      expect(answer).toMatchObject({ status: 200, body: { data: [{ region: 'local', outcome: 'pass' }] } });
    }
  });

  test.each([
    ['PUT', '/monitors', 'GET, POST'],
    ['DELETE', '/status-pages', 'GET, POST'],
    ['POST', '/monitors/01920000-0000-7000-8000-000000000000', 'GET, PATCH, DELETE'],
    ['GET', '/status-pages/01920000-0000-7000-8000-000000000000/structure', 'PUT'],
    ['POST', '/me', 'GET'],
    ['OPTIONS', '/disruptions', 'GET, POST'],
  ])('%s %s is not possible, and the answer says what is', async (method, path, allowed) => {
    const answer = await call(method, path);
    expect(answer).toMatchObject({ status: 405, body: { error: { type: 'method_not_allowed' } } });
    expect(answer.headers.get('allow')).toBe(allowed);
  });

  test.each(['/', '/nothing', '/monitors/01920000-0000-7000-8000-000000000000/nothing', '/../secrets.json', '/%ff'])(
    'there is nothing at %s, with or without a credential',
    async (path) => {
      for (const as of [call, fixture().callAs(undefined)]) {
        expect(await as('GET', path)).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
      }
    },
  );

  test('a HEAD is a GET without the body', async () => {
    const { network, keys } = fixture();
    const headers = { authorization: `Bearer ${keys[0]}` };
    const answer = await fetch(`${network.baseUrl}/api/v1/me`, { method: 'HEAD', headers });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
  });

  test.each(['abc', 'A.b_c-1', '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'])('the request id %s is kept', async (id) => {
    for (const path of ['/me', '/nothing', '/monitors/%ff']) {
      expect((await call('GET', path, undefined, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
    }
  });

  test.each(['', 'a b', '<script>', '"quoted"', 'x'.repeat(1000)])(
    'the request id %j is replaced by a better one',
    async (id) => {
      const { headers } = await call('GET', '/me', undefined, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    },
  );

  test('two requests without an id get different ones', async () => {
    const [one, other] = await Promise.all([call('GET', '/me'), call('GET', '/me')]);
    expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'));
  });

  test('what is no page may show, run and frame nothing, whether it is there or not', async () => {
    for (const path of ['/me', '/nothing', '/monitors/%ff']) {
      const { headers } = await call('GET', path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test.each(['/me', '/status-pages'])('GET %s is answered 304 to who has the answer already', async (path) => {
    const { headers } = await call('GET', path);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await call('GET', path, undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  test('fields that nobody knows are ignored', async () => {
    const answer = await call('POST', '/status-pages', newPage({ future: { field: [1] }, id: 'mine', url: 'x' }));
    expect(answer).toMatchObject({ status: 201, body: { data: { id: expect.stringMatching(/^[\da-f-]{36}$/) } } });
    expect(answer.body).not.toHaveProperty('data.future');
  });

  test('everything wrong is named at once, by its path, in words', async () => {
    const answer = await call('POST', '/monitors', {
      name: '',
      check_type: 'carrier_pigeon',
      config: [],
      interval_seconds: 29,
      timeout_ms: '10000',
      confirm_down_minutes: 31,
      confirm_up_minutes: 1.5,
      enabled: 'yes',
      alert_channel_ids: ['x', 5, null],
    });
    expect(answer).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(answer.body).toHaveProperty('errors', {
      name: ['is required'],
      check_type: ['must be one of http, tcp, dns, heartbeat, synthetic'],
      config: ['must be an object'],
      interval_seconds: ['must be between 30 and 86400'],
      timeout_ms: ['must be an integer'],
      confirm_down_minutes: ['must be between 0 and 30'],
      confirm_up_minutes: ['must be an integer'],
      enabled: ['must be true or false'],
      'alert_channel_ids.1': ['must be a string'],
      'alert_channel_ids.2': ['must not be null'],
    });
  });

  test('lists are complete, and the newest comes first', async () => {
    const { mine } = fixture();
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three'])
      made.unshift((await mine.create('/monitors', idleMonitor({ name }))).id);
    const { body } = await call('GET', '/monitors');
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(made);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test('/me says who calls, with the account number as an integer', async () => {
    const { mine } = fixture();
    const reader = await mine.callWith(['monitors:read']);
    expect((await reader('GET', '/me')).body).toEqual({
      data: {
        organization: { id: expect.any(Number), uuid: mine.uuid, name: 'Mine' },
        credential: { kind: 'api_key', name: 'Mine', permissions: ['monitors:read'] },
      },
    });
  });
}
