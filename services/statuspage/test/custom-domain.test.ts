import { ServiceError } from '@tocsin/errors';
import { PAGE_HEADERS, PAGE_HOST_PATH } from '@tocsin/html';
import { DomainStatus } from '@tocsin/proto/statuspage/v1/custom_domain';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

/**
 * DNS records by type and name, such as `CNAME status.example.com`. If the value is an error, the lookup throws this
 * error.
 */
const zone = new Map<string, string[] | ServiceError>();
const noResponse = new ServiceError('unavailable', 'DNS gave no answer');

const fixture = await statusPageFixture({
  statusDomain: 'pages.test',
  dns: {
    async lookup(type, name) {
      const response = zone.get(`${type} ${name}`) ?? [];
      if (response instanceof ServiceError) throw response;
      return response;
    },
  },
});
const { rpc } = fixture;
const us = await fixture.as(v7());
const them = await fixture.as(v7());
afterAll(() => fixture[Symbol.asyncDispose]());

let domains = 0;

function freshDomain(): string {
  domains += 1;
  return `status.acme-${domains}.example`;
}

/** Creates a page with a custom domain. The default is a domain that no other page has. */
async function aPage(as = us, domain = freshDomain()) {
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug(), enabled: true }, as);
  const statusPageId = statusPage?.id ?? '';
  const { customDomain } = await rpc.setCustomDomain({ statusPageId, domain }, as);
  const [, txt] = customDomain?.records ?? [];
  return {
    statusPageId,
    slug: statusPage?.slug ?? '',
    domain,
    customDomain,
    token: txt?.value ?? '',
    prove: () => zone.set(`TXT _tocsin-verify.${domain}`, [txt?.value ?? '']),
    verify: async () => (await rpc.verifyCustomDomain({ statusPageId }, as)).customDomain?.status,
    status: async () => (await rpc.getCustomDomain({ statusPageId }, as)).customDomain?.status,
  };
}

/** Returns the status of `GET /` for a host. The request has the headers that the gateway sends. */
async function statusAt(host: string): Promise<number> {
  return (await fetch(fixture.url, { headers: { 'x-forwarded-host': host } })).status;
}

async function tlsAsk(domain: string): Promise<number> {
  return (await fetch(`${fixture.url}/internal/tls-ask?domain=${domain}`)).status;
}

test('a new domain is pending, has DNS records to set, and does not serve the page yet', async () => {
  const { statusPageId, customDomain, domain, slug, token } = await aPage();
  expect(customDomain).toMatchObject({
    domain,
    status: DomainStatus.PENDING,
    records: [
      { name: domain, value: `${slug}.pages.test`, proves: true },
      { name: `_tocsin-verify.${domain}`, value: expect.stringMatching(/^[0-9a-f]{32}$/), proves: true },
    ],
  });
  expect((await rpc.getStatusPage({ id: statusPageId }, us)).statusPage).toMatchObject({
    customDomain: domain,
    domainStatus: DomainStatus.PENDING,
  });
  expect(await statusAt(domain)).toBe(404);
  expect(await tlsAsk(domain)).toBe(404);
  expect((await aPage()).token).not.toBe(token);
});

test('a TXT record with the token proves a domain, and the page is then served there', async () => {
  const { statusPageId, domain, prove, verify } = await aPage();
  prove();
  expect(await verify()).toBe(DomainStatus.ACTIVE);
  const { statusPage } = await rpc.getStatusPage({ id: statusPageId }, us);
  expect(statusPage).toMatchObject({ customDomain: domain, domainStatus: DomainStatus.ACTIVE });
  expect(await statusAt(`${domain.toUpperCase()}:8080`)).toBe(200);
  expect(await tlsAsk(domain)).toBe(200);

  await rpc.updateStatusPage({ id: statusPageId, enabled: false }, us);
  expect(await statusAt(domain)).toBe(404);
});

test('the gateway learns which hosts belong to one page', async () => {
  const { domain, slug, statusPageId, prove, verify } = await aPage();
  const pageHost = async (host: string) => {
    const response = await fetch(`${fixture.url}${PAGE_HOST_PATH}?${new URLSearchParams({ host })}`);
    return response.headers.get(PAGE_HEADERS.isPageHost);
  };
  expect(await pageHost(domain)).toBe('no');
  prove();
  await verify();
  expect(await pageHost(domain)).toBe('yes');
  expect(await pageHost(domain.toUpperCase())).toBe('yes');
  expect(await pageHost(`${slug}.pages.test`)).toBe('yes');
  for (const host of ['other.example', '', '%00', '10.0.0.1', 'x'.repeat(300)]) expect(await pageHost(host)).toBe('no');
  // The host of a disabled page must not show other pages either.
  await rpc.updateStatusPage({ id: statusPageId, enabled: false }, us);
  expect(await pageHost(domain)).toBe('yes');
});

test("a CNAME to the page's host proves a domain, and a CNAME to another page's host does not", async () => {
  const { domain, slug, verify } = await aPage();
  zone.set(`CNAME ${domain}`, [(await aPage()).slug.concat('.pages.test')]);
  expect(await verify()).toBe(DomainStatus.FAILED);
  expect(await tlsAsk(domain)).toBe(404);
  zone.set(`CNAME ${domain}`, [`${slug}.pages.test`]);
  expect(await verify()).toBe(DomainStatus.ACTIVE);
});

test('the token of another page does not prove a domain', async () => {
  const { domain, verify } = await aPage();
  zone.set(`TXT _tocsin-verify.${domain}`, [(await aPage()).token]);
  expect(await verify()).toBe(DomainStatus.FAILED);
});

test('verification fails after the proof is removed', async () => {
  const { domain, prove, verify } = await aPage();
  prove();
  expect(await verify()).toBe(DomainStatus.ACTIVE);
  zone.delete(`TXT _tocsin-verify.${domain}`);
  expect(await verify()).toBe(DomainStatus.FAILED);
  expect(await statusAt(domain)).toBe(404);
});

test('if the query for one DNS record fails, the status changes only if the other record proves the domain', async () => {
  const { domain, prove, verify, status } = await aPage();
  zone.set(`CNAME ${domain}`, noResponse);
  await expect(verify()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await status()).toBe(DomainStatus.PENDING);
  prove();
  expect(await verify()).toBe(DomainStatus.ACTIVE);
});

test('a domain serves one page at a time, across organizations', async () => {
  const first = await aPage();
  const second = await aPage(them, first.domain);
  zone.set(`TXT _tocsin-verify.${first.domain}`, [first.token, second.token]);
  expect(await first.verify()).toBe(DomainStatus.ACTIVE);
  await expect(second.verify()).rejects.toMatchObject({ kind: 'conflict' });
  expect(await second.status()).toBe(DomainStatus.PENDING);

  await rpc.removeCustomDomain({ statusPageId: first.statusPageId }, us);
  expect(await tlsAsk(first.domain)).toBe(404);
  expect(await second.verify()).toBe(DomainStatus.ACTIVE);
});

test('setting the same domain changes nothing, and a different domain is pending with the same token', async () => {
  const { statusPageId, domain, token, prove, verify } = await aPage();
  prove();
  await verify();
  const same = await rpc.setCustomDomain({ statusPageId, domain: `${domain.toUpperCase()}.` }, us);
  expect(same.customDomain).toMatchObject({ domain, status: DomainStatus.ACTIVE });
  const other = await rpc.setCustomDomain({ statusPageId, domain: `other.${domain}` }, us);
  expect(other.customDomain).toMatchObject({ status: DomainStatus.PENDING, records: [{}, { value: token }] });
  expect(await statusAt(domain)).toBe(404);
});

test("changing a page's settings does not change its domain", async () => {
  const { statusPageId, domain, prove, verify } = await aPage();
  prove();
  await verify();
  const { statusPage } = await rpc.updateStatusPage({ id: statusPageId, name: 'Other' }, us);
  expect(statusPage).toMatchObject({ customDomain: domain, domainStatus: DomainStatus.ACTIVE });
});

test('an invalid domain is refused', async () => {
  const { statusPageId } = await aPage();
  for (const domain of ['', 'acme.example', 'https://status.acme.example', 'x.pages.test', 'tocsin.test']) {
    await expect(rpc.setCustomDomain({ statusPageId, domain }, us)).rejects.toMatchObject({
      kind: 'invalid',
      fields: { domain: [expect.any(String)] },
    });
  }
});

test('a page is served at its host below the status domain', async () => {
  const { slug } = await aPage();
  expect(await statusAt(`${slug}.pages.test`)).toBe(200);
  expect(await statusAt(`${slug}.${slug}.pages.test`)).toBe(404);
  expect(await statusAt('pages.test')).toBe(404);
  // A wildcard certificate covers hosts below the status domain, so no certificate may be requested for such a host.
  expect(await tlsAsk(`${slug}.pages.test`)).toBe(404);
  for (const none of ['', '%00', '10.0.0.1', 'x'.repeat(300)]) expect(await tlsAsk(none)).toBe(404);
});

test('every method refuses a page of another organization, a page without a domain and an unknown page', async () => {
  const { statusPageId, domain } = await aPage();
  const bare = await rpc.createStatusPage({ name: 'Bare', slug: freshSlug() }, us);
  const calls = [rpc.getCustomDomain, rpc.verifyCustomDomain, rpc.removeCustomDomain];
  for (const call of calls) {
    for (const [id, as, what] of [
      [statusPageId, them, 'status page'],
      [v7(), us, 'status page'],
      ['nonsense', us, 'status page'],
      [bare.statusPage?.id ?? '', us, 'custom domain'],
    ] as const) {
      await expect(call({ statusPageId: id }, as)).rejects.toMatchObject({
        kind: 'not_found',
        message: `${what} not found`,
      });
    }
  }
  await expect(rpc.setCustomDomain({ statusPageId, domain: 'status.evil.example' }, them)).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect((await rpc.getCustomDomain({ statusPageId }, us)).customDomain).toMatchObject({ domain });
});

test('the host of one page shows no other page, and the host of the installation shows all pages', async () => {
  const [own, other] = [await aPage(), await aPage(them)];
  own.prove();
  expect(await own.verify()).toBe(DomainStatus.ACTIVE);
  const statusOf = async (host: string, path: string) =>
    (await fetch(`${fixture.url}${path}`, { headers: { 'x-forwarded-host': host } })).status;
  expect(await statusOf(own.domain, '/')).toBe(200);
  for (const host of [own.domain, `${own.slug}.pages.test`]) {
    expect(await statusOf(host, `/s/${other.slug}`)).toBe(404);
  }
  for (const { slug } of [own, other]) expect(await statusOf('tocsin.test', `/s/${slug}`)).toBe(200);
});

test('the installation’s own host has a landing page, and unknown hosts have none', async () => {
  const landing = await fetch(fixture.url, { headers: { 'x-forwarded-host': 'tocsin.test' } });
  expect(landing.status).toBe(200);
  expect(await landing.text()).toContain('<a href="/docs">API reference</a>');
  const unknown = await fetch(fixture.url, { headers: { 'x-forwarded-host': 'unknown.example' } });
  expect([unknown.status, unknown.headers.get('cache-control')]).toEqual([404, 'max-age=0']);
});
