import { expect, test } from 'vitest';
import { type Fixture, idleMonitor } from './fixture.ts';

/** Tests the rules for every endpoint, except the rules for bodies. */
export function httpInGeneral(fixture: () => Fixture): void {
  const call: Fixture['mine']['call'] = (...request) => fixture().mine.call(...request);

  test.each([
    ['PUT', '/monitors', 'GET, POST'],
    ['DELETE', '/status-pages', 'GET, POST'],
    ['POST', '/monitors/01920000-0000-7000-8000-000000000000', 'GET, PATCH, DELETE'],
    ['GET', '/status-pages/01920000-0000-7000-8000-000000000000/structure', 'PUT'],
    ['POST', '/me', 'GET'],
    ['OPTIONS', '/disruptions', 'GET, POST'],
    ['QUERY', '/disruptions', 'GET, POST'],
    ['PROPFIND', '/me', 'GET'],
  ])('%s %s gets a 405 that lists the allowed methods', async (method, path, allowed) => {
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

  test('a client other than a browser gets JSON at an unknown path', async () => {
    const program = await fetch(`${fixture().network.baseUrl}/nothing`);
    expect(program).toMatchObject({ status: 404 });
    expect(await program.json()).toMatchObject({
      error: { type: 'not_found', message: 'there is nothing at /nothing' },
    });
  });

  test('the response to HEAD is the response to GET without the body', async () => {
    const { network, keys } = fixture();
    const headers = { authorization: `Bearer ${keys[0]}` };
    const response = await fetch(`${network.baseUrl}/api/v1/me`, { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect(response.headers.get('etag')).toBe((await call('GET', '/me')).headers.get('etag'));
  });

  test.each(['abc', 'A.b_c-1', '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'])('the request id %s is returned', async (id) => {
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

  test.each(['/me', '/status-pages'])('GET %s returns 304 to a client that already has the response', async (path) => {
    const { headers } = await call('GET', path);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await call('GET', path, undefined, { 'if-none-match': headers.get('etag') ?? '' });
    expect(again).toMatchObject({ status: 304, text: '' });
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

  test('a list page has fewer items if the monitors are large, and its links lead to all monitors', async () => {
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
    // A page ends with the item that reaches 2 MB, so it may be larger than 2 MB by one item.
    for (const size of sizes) expect(size).toBeLessThan(2 * 1024 * 1024 + 150_000);
    for (const id of made) await theirs.call('DELETE', `/monitors/${id}`);
  });

  test('/me returns the organization with an integer account number, the credential and the limits', async () => {
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
