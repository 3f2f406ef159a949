import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';

/** Tests the rules for every endpoint. */
export function httpInGeneral(fixture: () => Fixture): void {
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

  test.each(['', undefined])('the empty body %j can not be validated', async (body) => {
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

  test('100,000 list items and fields are read, and one more is refused', async () => {
    const wide = (count: number) => `{"ignored":[${Array(count).fill('0').join(',')}]}`;
    const read = await call('POST', '/monitors', wide(100_000));
    expect(read).toMatchObject({ status: 422, body: { error: { errors: { name: ['is required'] } } } });
    expect(await call('POST', '/monitors', wide(100_001))).toMatchObject({
      status: 422,
      body: { error: { errors: { body: ['must have at most 100000 list items and fields in all'] } } },
    });
  });

  test('64 levels of nesting are read, and 65 are refused, with and without an Idempotency-Key', async () => {
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

  test('the error message contains the first field errors', async () => {
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

  test('a request with only known fields gets no header of ignored fields', async () => {
    expect((await call('POST', '/monitors', idleMonitor())).headers.has('x-tocsin-ignored')).toBe(false);
  });

  test('at most 100 findings are reported', async () => {
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
  ])('the timestamp %s is refused: it %s', async (started_at, reason) => {
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
    ['limit=1&limit=2', 'limit', 'must be an integer'],
    ['enabled=1', 'enabled', 'must be true or false'],
    ['q=a%00b', 'q', 'must not contain control characters'],
  ])('the query %s is refused', async (query, field, reason) => {
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
  ])('the URL %j is refused everywhere', async (url) => {
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

  test.each(['[]', '"text"', '5', 'null'])('%j is JSON, but not an object', async (body) => {
    const response = await call('POST', '/monitors', body, { 'content-type': 'application/json' });
    expect(response).toMatchObject({
      status: 422,
      body: { error: { type: 'validation_error', errors: { body: ['must be an object'] } } },
    });
  });

  test('errors of the schema and of the service are returned together, and nothing is created', async () => {
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
    // Only the name is invalid, and results of the other checks are not cached.
    expect(await call('POST', '/monitors', idleMonitor({ name: 5 }))).toMatchObject({
      body: { error: { errors: { name: ['must be a string'] } } },
    });
    expect((await call('GET', '/monitors')).body).toEqual(before);
  });

  test.each<[string, string, number]>([
    ['POST', '/monitors', 262_144],
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

  test('the content type of JSON may have a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await call('POST', '/monitors', idleMonitor(), headers)).toMatchObject({ status: 201 });
  });

  test('an empty JSON body counts as absent', async () => {
    const { target, mine } = fixture();
    const config = { url: target.url };
    const { id } = await mine.create('/monitors', idleMonitor({ config }));
    for (const body of ['', undefined]) {
      const response = await call('POST', `/monitors/${id}/check`, body, { 'content-type': 'application/json' });
      expect(response).toMatchObject({ status: 200, body: { data: [{ region: 'local', outcome: 'pass' }] } });
    }
  });

  test.each([
    ['PUT', '/monitors', 'GET, POST'],
    ['DELETE', '/status-pages', 'GET, POST'],
    ['POST', '/monitors/01920000-0000-7000-8000-000000000000', 'GET, PATCH, DELETE'],
    ['GET', '/status-pages/01920000-0000-7000-8000-000000000000/structure', 'PUT'],
    ['POST', '/me', 'GET'],
    ['OPTIONS', '/disruptions', 'GET, POST'],
    ['QUERY', '/disruptions', 'GET, POST'],
    ['PROPFIND', '/me', 'GET'],
  ])('%s %s is a 405 that lists the allowed methods', async (method, path, allowed) => {
    const response = await call(method, path);
    expect(response).toMatchObject({ status: 405, body: { error: { type: 'method_not_allowed' } } });
    expect(response.headers.get('allow')).toBe(allowed);
  });

  test.each(['/', '/nothing', '/monitors/01920000-0000-7000-8000-000000000000/nothing', '/../secrets.json', '/%ff'])(
    'the path %s is not found, with or without a credential',
    async (path) => {
      for (const as of [call, fixture().callAs(undefined)]) {
        expect(await as('GET', path)).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
      }
    },
  );

  test.each(['/nothing', '/s/acme/nothing', '/docs/nothing'])('a browser gets a page at %s', async (path) => {
    const url = `${fixture().network.baseUrl}${path}`;
    const browser = await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect(browser.status).toBe(404);
    expect(browser.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(browser.headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
    expect(await browser.text()).toContain('<h1>There is no');
  });

  test('a program gets JSON at an unknown path', async () => {
    const program = await fetch(`${fixture().network.baseUrl}/nothing`);
    expect(program).toMatchObject({ status: 404 });
    expect(await program.json()).toMatchObject({
      error: { type: 'not_found', message: 'there is nothing at /nothing' },
    });
  });

  test('a HEAD response is a GET response without the body', async () => {
    const { network, keys } = fixture();
    const headers = { authorization: `Bearer ${keys[0]}` };
    const response = await fetch(`${network.baseUrl}/api/v1/me`, { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(response.headers.get('etag')).toBe((await call('GET', '/me')).headers.get('etag'));
  });

  test.each(['abc', 'A.b_c-1', '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'])('the request id %s is kept', async (id) => {
    for (const path of ['/me', '/nothing', '/monitors/%ff']) {
      expect((await call('GET', path, undefined, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
    }
  });

  test.each(['', 'a b', '<script>', '"quoted"', 'x'.repeat(1000)])(
    'the invalid request id %j is replaced with a new one',
    async (id) => {
      const { headers } = await call('GET', '/me', undefined, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    },
  );

  test('two requests without a request id get different ids', async () => {
    const [one, other] = await Promise.all([call('GET', '/me'), call('GET', '/me')]);
    expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'));
  });

  test('every response except pages has a content security policy that forbids content and framing', async () => {
    for (const path of ['/me', '/nothing', '/monitors/%ff']) {
      const { headers } = await call('GET', path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test.each(['/me', '/status-pages'])('GET %s is returned 304 to who has the response already', async (path) => {
    const { headers } = await call('GET', path);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await call('GET', path, undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  test('unknown fields are ignored', async () => {
    const response = await call('POST', '/status-pages', newPage({ future: { field: [1] }, id: 'mine', url: 'x' }));
    expect(response).toMatchObject({ status: 201, body: { data: { id: expect.stringMatching(/^[\da-f-]{36}$/) } } });
    expect(response.body).not.toHaveProperty('data.future');
  });

  test('all errors are returned at once, by path', async () => {
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

  test('lists are complete and sorted newest first', async () => {
    const { mine } = fixture();
    const made: string[] = [];
    for (const name of ['One', 'Two', 'Three'])
      made.unshift((await mine.create('/monitors', idleMonitor({ name }))).id);
    const { body } = await call('GET', '/monitors');
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(made);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test('a list page of large monitors has fewer items, and its links lead through all monitors', async () => {
    const { theirs } = fixture();
    const config = { url: 'https://shop.example.com/', note: 'x'.repeat(125_000) };
    const made: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      made.unshift((await theirs.create('/monitors', idleMonitor({ name: 'Large', config }))).id);
    }
    const listed: string[] = [];
    const sizes: number[] = [];
    for (let path: string | undefined = '/monitors?q=large'; path; ) {
      const page = await theirs.call('GET', path);
      const { data } = page.body as { data: { id: string }[] };
      listed.push(...data.map(({ id }) => id));
      sizes.push(Buffer.byteLength(page.text));
      path = /^<\/api\/v1(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(listed).toEqual(made);
    expect(sizes).toHaveLength(2);
    // The last item of a page may exceed 2 MB.
    for (const size of sizes) expect(size).toBeLessThan(2 * 1024 * 1024 + 150_000);
    for (const id of made) await theirs.call('DELETE', `/monitors/${id}`);
  });

  test('/me returns the organization, with its account number as an integer, the credential and the limits', async () => {
    const { mine } = fixture();
    const reader = await mine.callWith(['monitors:read']);
    expect((await reader('GET', '/me')).body).toEqual({
      data: {
        organization: { id: expect.any(Number), uuid: mine.uuid, name: 'Mine' },
        credential: { kind: 'api_key', name: 'Mine', permissions: ['monitors:read'] },
        limits: expect.objectContaining({
          monitors: { limit: expect.any(Number), used: expect.any(Number) },
          api_keys: { limit: expect.any(Number), used: expect.any(Number) },
        }),
      },
    });
  });
}
