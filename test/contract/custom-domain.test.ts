import { request } from 'node:http';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, openFixture } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ TOCSIN_STATUS_DOMAIN: 'pages.test' });
});
afterAll(() => fixture?.[Symbol.asyncDispose]());

let pages = 0;

async function aPage() {
  pages += 1;
  const slug = `acme-${pages}`;
  const { id } = await fixture.mine.create('/status-pages', { name: 'Acme', slug, enabled: true });
  return { slug, id, path: `/status-pages/${id}`, domain: `status.${slug}.invalid` };
}

/** Requests `GET /` with the given Host header, which fetch() would not send. */
function visit(host: string, path = '/'): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, fixture.network.baseUrl), { headers: { host } }, (response) => {
      response
        .toArray()
        .then((chunks) => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }), reject);
    })
      .once('error', reject)
      .end();
  });
}

test('setting a custom domain of a page returns the required DNS records, and the domain can be removed', async () => {
  const { call } = fixture.mine;
  const { path, slug, domain } = await aPage();
  const expected = {
    domain,
    domain_status: 'pending',
    unproven_since: null,
    records: [
      { type: 'CNAME', name: domain, value: `${slug}.pages.test`, proves: true },
      { type: 'TXT', name: `_tocsin-verify.${domain}`, value: expect.stringMatching(/^[0-9a-f]{32}$/), proves: true },
    ],
  };
  const set = await call('PUT', `${path}/custom-domain`, { domain: domain.toUpperCase() });
  expect(set.body).toEqual({ data: expected });
  expect((await call('GET', `${path}/custom-domain`)).body).toEqual(set.body);
  expect((await call('GET', path)).body).toMatchObject({
    data: { custom_domain: domain, domain_status: 'pending', url: `https://${slug}.pages.test` },
  });
  expect(await call('DELETE', `${path}/custom-domain`)).toMatchObject({ status: 204 });
  expect((await call('GET', path)).body).toMatchObject({ data: { custom_domain: null, domain_status: 'none' } });
  expect(await call('GET', `${path}/custom-domain`)).toMatchObject({
    status: 404,
    body: { error: { type: 'not_found', message: 'custom domain not found' } },
  });
});

test.each([
  [{}, 'is required'],
  [{ domain: null }, 'must not be null'],
  [{ domain: 5 }, 'must be a string'],
  [{ domain: '' }, 'is required'],
  [{ domain: 'https://status.example.com/' }, 'must be a host name such as status.example.com'],
  [{ domain: 'example.com' }, expect.stringContaining('an apex can have no CNAME')],
  [{ domain: 'other.pages.test' }, 'must be a domain of yours, not one of pages.test'],
])('a custom domain with the invalid body %j is refused', async (body, words) => {
  const { path } = await aPage();
  const response = await fixture.mine.call('PUT', `${path}/custom-domain`, body);
  expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
  expect(response.body).toHaveProperty('error.errors', { domain: [words] });
});

test('an old slug redirects to the page, and is reserved for its organization', async () => {
  const { slug, path } = await aPage();
  const renamed = `${slug}-renamed`;
  await fixture.mine.call('PATCH', path, { slug: renamed });
  const response = await fetch(`${fixture.network.baseUrl}/s/${slug}`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([301, `/s/${renamed}`]);
  expect((await visit(`${slug}.pages.test`)).status).toBe(301);
  const taken = { status: 422, body: { error: { errors: { slug: ['is taken'] } } } };
  expect(await fixture.theirs.call('POST', '/status-pages', { name: 'Other', slug })).toMatchObject(taken);
  expect(await fixture.mine.call('POST', '/status-pages', { name: 'Own', slug })).toMatchObject({ status: 201 });
});

test('a domain without proof in DNS never becomes active', async () => {
  const { path, domain } = await aPage();
  await fixture.mine.call('PUT', `${path}/custom-domain`, { domain });
  const { status, body } = await fixture.mine.call('POST', `${path}/custom-domain/verify`);
  // On a machine without DNS, the response is a 503. Names below .invalid never exist (RFC 6761 §6.4).
  if (status === 200) expect(body).toMatchObject({ data: { domain, domain_status: 'failed' } });
  else expect(status).toBe(503);
  expect(await fixture.ask('GET', `/internal/tls-ask?domain=${domain}`)).toMatchObject({ status: 404 });
  expect((await visit(domain)).status).toBe(404);
});

test('a page is served at its host below the status domain, and at the path of its slug', async () => {
  const { slug, path } = await aPage();
  for (const host of [`${slug}.pages.test`, `${slug.toUpperCase()}.pages.test:8443`]) {
    const { status, body } = await visit(host);
    expect(status).toBe(200);
    expect(body).toContain('Acme');
  }
  expect(await fixture.ask('GET', `/s/${slug}`)).toMatchObject({ status: 200 });
  for (const page of ['/sign-in', '/account', '/oauth/device']) {
    expect((await visit(`${slug}.pages.test`, page)).status, page).toBe(404);
  }
  await fixture.mine.call('PATCH', path, { enabled: false });
  for (const host of [`${slug}.pages.test`, 'nobody.pages.test', 'pages.test', 'status.example.com']) {
    // The gateway receives the change a moment later.
    await eventually(async () => expect((await visit(host)).status, host).toBe(404));
  }
});

test('certificates are allowed for active domains only', async () => {
  const { slug } = await aPage();
  for (const domain of [`${slug}.pages.test`, 'status.example.com', '127.0.0.1', '%00', '']) {
    expect(await fixture.ask('GET', `/internal/tls-ask?domain=${domain}`), domain).toMatchObject({ status: 404 });
  }
  expect(await fixture.ask('GET', '/internal/tls-ask')).toMatchObject({ status: 404 });
});
