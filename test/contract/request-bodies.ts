import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';

/** Tests the rules for the bodies of all requests. */
export function requestBodies(fixture: () => Fixture): void {
  const call: Fixture['mine']['call'] = (...request) => fixture().mine.call(...request);

  test.each([
    ['{', 'half a body'],
    ['{"name": NaN}', 'what JSON has no word for'],
    ["{'name': 'x'}", 'single quotes'],
  ])('the body %s is refused because it is not JSON', async (body) => {
    for (const path of ['/monitors', '/alert-channels', '/status-pages']) {
      expect(await call('POST', path, body)).toMatchObject({
        status: 400,
        body: { error: { type: 'bad_request', message: 'the body is not valid JSON' } },
      });
    }
  });

  test.each(['', undefined])('the empty body %j is refused if the operation requires a body', async (body) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    expect(await call('POST', '/monitors', body, headers)).toMatchObject({
      status: 400,
      body: { error: { type: 'bad_request', message: 'the body is empty; it must be a JSON object' } },
    });
  });

  test('a body that is not UTF-8 is refused', async () => {
    const { network, keys } = fixture();
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' };
    const response = await fetch(`${network.baseUrl}/api/v1/monitors`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { type: 'bad_request', message: 'the body is not valid UTF-8' } });
  });

  test('a body with 100,000 list items and fields is read, and a body with one more is refused', async () => {
    const wide = (count: number) => `{"ignored":[${Array(count).fill('0').join(',')}]}`;
    const read = await call('POST', '/monitors', wide(100_000));
    expect(read).toMatchObject({ status: 422, body: { error: { errors: { name: ['is required'] } } } });
    expect(await call('POST', '/monitors', wide(100_001))).toMatchObject({
      status: 422,
      body: { error: { errors: { body: ['must have at most 100000 list items and fields in all'] } } },
    });
  });

  test('a body with 64 levels of nesting is read, and 65 levels are refused, with and without an Idempotency-Key', async () => {
    const nested = (depth: number) => `{"ignored":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const key of [undefined, 'deep']) {
      const headers: Record<string, string> =
        key === undefined ? {} : { 'idempotency-key': `${key}-${crypto.randomUUID()}` };
      const refused = {
        status: 422,
        body: { error: { errors: { body: ['must not be nested deeper than 64 levels'] } } },
      };
      expect(await call('POST', '/monitors', nested(65), headers)).toMatchObject(refused);
      expect(await call('POST', '/monitors', nested(100_000), headers)).toMatchObject(refused);
      const read = { status: 422, body: { error: { errors: { name: ['is required'] } } } };
      expect(await call('POST', '/monitors', nested(64), headers)).toMatchObject(read);
    }
  });

  test('the error message contains the first field errors and the number of the others', async () => {
    const wrong = { name: '', interval_seconds: 1, timeout_ms: 1, confirm_down_minutes: 31, confirm_up_minutes: -1 };
    const { body } = await call('POST', '/monitors', { ...idleMonitor(wrong), enabled: 1, check_type: 'x' });
    expect(body).toHaveProperty(
      'error.message',
      expect.stringMatching(/^name is required; .*interval_seconds must be between 30 and 86400; .*; and 2 more$/),
    );
  });

  test.each<[string, object, string]>([
    ['/monitors', { ...idleMonitor({ colour: 'red' }), config: { url: 'https://example.com/' } }, 'colour'],
    ['/status-pages', newPage({ 'a b': 1, ü: 2 }), 'a%20b, %C3%BC'],
    ['/api-keys', { name: 'x', permissions: ['no:such'], expires: 'never' }, 'expires'],
  ])('unknown fields in a POST %s are listed in a header', async (path, body, ignored) => {
    const { headers } = await call('POST', path, body);
    expect(headers.get('x-tocsin-ignored')).toBe(ignored);
  });

  test('unknown query parameters are listed in a header, and known ones are not', async () => {
    const read = await call('GET', '/monitors?limit=1&stat=down&a%2Cb=1&stat=up');
    expect([read.status, read.headers.get('x-tocsin-ignored')]).toEqual([200, '?stat, ?a%2Cb']);
    const { id } = await fixture().mine.create('/monitors', idleMonitor());
    const path = `/monitors/${id}?validate_only=false&validateonly=true`;
    const changed = await call('PATCH', path, { name: 'Shop', colour: 'red' });
    expect([changed.status, changed.headers.get('x-tocsin-ignored')]).toEqual([200, 'colour, ?validateonly']);
    expect((await call('GET', '/monitors?limit=1')).headers.has('x-tocsin-ignored')).toBe(false);
    const many = Array.from({ length: 30 }, (_, index) => `p${index}=1`).join('&');
    const cut = (await call('GET', `/me?${many}`)).headers.get('x-tocsin-ignored')?.split(', ');
    expect([cut?.length, cut?.at(-1)]).toEqual([21, 'and 10 more']);
  });

  test('a request with only known fields gets no header for ignored fields', async () => {
    expect((await call('POST', '/monitors', idleMonitor())).headers.has('x-tocsin-ignored')).toBe(false);
  });

  test('a response lists at most 100 field errors', async () => {
    const components = Array.from({ length: 500 }, () => ({ type: 'tree' }));
    const page = await fixture().mine.create('/status-pages', newPage());
    const response = await call('PUT', `/status-pages/${page.id}/structure`, { components });
    expect(response.status).toBe(422);
    const { errors, message } = (response.body as { error: { errors: object; message: string } }).error;
    expect(Object.values(errors).flat()).toHaveLength(100);
    expect(message).toMatch(/; and 995 more$/);
  });

  test.each([
    ['2026-11-20T10:00:00+0200', 'must have an offset with hours and minutes, such as +02:00'],
    ['2026-11-20T10:00:00+02', 'must have an offset with hours and minutes, such as +02:00'],
    ['2026-11-20T10:00:00', 'must have an offset, such as Z or +02:00'],
    ['1899-12-31T23:59:59Z', 'must be between the years 1900 and 2999'],
    ['3000-01-01T00:00:00Z', 'must be between the years 1900 and 2999'],
    ['10000-01-01T00:00:00Z', 'must be between the years 1900 and 2999'],
    ['noon', 'must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z'],
  ])('the timestamp %s is refused because it %s', async (started_at, reason) => {
    expect(await call('POST', '/disruptions', { title: 'Slow', started_at })).toMatchObject({
      status: 422,
      body: { error: { message: `started_at ${reason}`, errors: { started_at: [reason] } } },
    });
  });

  test.each(['1900-01-01T00:00:00Z', '2999-12-31T23:59:59.999999999Z', '2026-11-20T10:00+02:00'])(
    'the timestamp %s is accepted',
    async (ends_at) => {
      const body = { title: 'New disks', type: 'maintenance', started_at: ends_at };
      expect(await call('POST', '/disruptions', body)).toMatchObject({ status: 201 });
    },
  );

  test.each([
    ['limit=0x10', 'limit', 'must be an integer'],
    ['limit=1e1', 'limit', 'must be an integer'],
    ['limit=', 'limit', 'must be an integer'],
    ['limit=1&limit=2', 'limit', 'was sent more than once; send it once'],
    ['enabled=1', 'enabled', 'must be true or false'],
    ['q=a%00b', 'q', 'must not contain control characters'],
  ])('the query %s is refused because %s %s', async (query, field, reason) => {
    expect(await call('GET', `/monitors?${query}`)).toMatchObject({
      status: 422,
      body: { error: { errors: { [field]: [reason] } } },
    });
  });

  test.each([
    'https:example.com',
    ' https://example.com',
    'https://exa\nmple.com',
    'https://a\\b',
    'https://x;y/',
    'https://a\0b',
  ])('the URL %j is refused in every URL field', async (url) => {
    const monitor = await call('POST', '/monitors', idleMonitor({ config: { url } }));
    expect(monitor, 'monitor').toMatchObject({
      status: 422,
      body: { error: { errors: { 'config.url': [expect.any(String)] } } },
    });
    const webhook = await call('POST', '/webhooks', { url, events: ['monitor.created'] });
    expect(webhook, 'webhook').toMatchObject({
      status: 422,
      body: { error: { errors: { url: [expect.any(String)] } } },
    });
    const channel = await call('POST', '/alert-channels', { name: 'x', type: 'webhook', config: { url } });
    expect(channel, 'channel').toMatchObject({
      status: 422,
      body: { error: { errors: { 'config.url': [expect.any(String)] } } },
    });
    const page = await call('POST', '/status-pages', newPage({ logo_dark_url: url }));
    expect(page, 'page').toMatchObject({
      status: 422,
      body: { error: { errors: { logo_dark_url: [expect.any(String)] } } },
    });
  });

  test.each(['[]', '"text"', '5', 'null'])(
    'the body %j is refused, because it is JSON but not an object',
    async (body) => {
      const response = await call('POST', '/monitors', body, { 'content-type': 'application/json' });
      expect(response).toMatchObject({
        status: 422,
        body: { error: { type: 'validation_error', errors: { body: ['must be an object'] } } },
      });
    },
  );

  test('schema errors and service errors are returned together, and nothing is created', async () => {
    const before = (await call('GET', '/monitors')).body;
    const body = idleMonitor({
      name: '',
      interval_seconds: 29,
      timeout_ms: 'long',
      config: { url: 'ftp://x' },
      alert_channel_ids: ['5e0b0000-0000-7000-8000-000000000000'],
    });
    expect(await call('POST', '/monitors', body)).toMatchObject({
      status: 422,
      body: {
        error: {
          errors: {
            name: ['is required'],
            interval_seconds: ['must be between 30 and 86400'],
            timeout_ms: ['must be an integer'],
            'config.url': [expect.stringContaining('must be an http or https URL')],
            'alert_channel_ids.0': [expect.any(String)],
          },
        },
      },
    });
    // In this request only the name is invalid. The errors of the previous request must not appear again.
    expect(await call('POST', '/monitors', idleMonitor({ name: 5 }))).toMatchObject({
      body: { error: { errors: { name: ['must be a string'] } } },
    });
    expect((await call('GET', '/monitors')).body).toEqual(before);
  });

  test.each<[string, string, number]>([
    ['POST', '/monitors', 262_144],
    ['POST', '/monitors/batch', 1_048_576],
    ['PUT', '/status-pages/01920000-0000-7000-8000-000000000000/structure', 1_048_576],
    ['POST', '/monitors/01920000-0000-7000-8000-000000000000/check', 16_384],
  ])('%s %s accepts a body of %i bytes, and refuses one more byte', async (method, path, limit) => {
    const withLength = (length: number) => {
      const body = JSON.stringify(idleMonitor({ ignored: '' }));
      return body.replace('"ignored":""', `"ignored":"${'x'.repeat(length - body.length)}"`);
    };
    expect((await call(method, path, withLength(limit))).status).not.toBe(413);
    expect(await call(method, path, withLength(limit + 1))).toMatchObject({
      status: 413,
      body: { error: { type: 'payload_too_large', message: `the body must be at most ${limit} bytes` } },
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp'])(
    'a body with the content type %s is refused',
    async (type) => {
      expect(await call('POST', '/monitors', '{}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: { type: 'unsupported_media_type' } },
      });
    },
  );

  test('a compressed body is refused', async () => {
    const { network, keys } = fixture();
    const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' };
    const send = (encoding: string, body: Uint8Array<ArrayBuffer>) =>
      fetch(`${network.baseUrl}/api/v1/monitors`, {
        method: 'POST',
        headers: { ...headers, 'content-encoding': encoding },
        body,
      });
    const json = Buffer.from(JSON.stringify(idleMonitor()));
    const refused = await send('gzip', Buffer.from(gzipSync(json)));
    expect(refused.status).toBe(415);
    expect(await refused.json()).toEqual({
      error: {
        type: 'unsupported_media_type',
        message: 'the body must not be compressed: send it without content-encoding: gzip',
      },
    });
    expect((await send('identity', json)).status).toBe(201);
  });

  test('the JSON content type may have a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await call('POST', '/monitors', idleMonitor(), headers)).toMatchObject({ status: 201 });
  });

  test('an empty JSON body is accepted if the operation requires no body', async () => {
    const { target, mine } = fixture();
    const config = { url: target.url };
    const { id } = await mine.create('/monitors', idleMonitor({ config }));
    for (const body of ['', undefined]) {
      const response = await call('POST', `/monitors/${id}/check`, body, { 'content-type': 'application/json' });
      expect(response).toMatchObject({ status: 200, body: { data: [{ region: 'local', outcome: 'pass' }] } });
    }
  });

  test('unknown fields are ignored', async () => {
    const response = await call('POST', '/status-pages', newPage({ future: { field: [1] }, id: 'mine', url: 'x' }));
    expect(response).toMatchObject({ status: 201, body: { data: { id: expect.stringMatching(/^[\da-f-]{36}$/) } } });
    expect(response.body).not.toHaveProperty('data.future');
  });

  test('all errors of a body are returned at once, by path', async () => {
    const response = await call('POST', '/monitors', {
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
    expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(response.body).toHaveProperty('error.errors', {
      name: ['is required'],
      check_type: ['must be one of http, tcp, dns, heartbeat, synthetic'],
      config: ['must be an object'],
      interval_seconds: ['must be between 30 and 86400'],
      timeout_ms: ['must be an integer'],
      confirm_down_minutes: ['must be between 0 and 30'],
      confirm_up_minutes: ['must be an integer'],
      enabled: ['must be true or false'],
      'alert_channel_ids.1': ['must be a string or an object'],
      'alert_channel_ids.2': ['must not be null'],
    });
  });
}
