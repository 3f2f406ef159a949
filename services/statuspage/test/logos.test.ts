import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNetguard, parseAllowedTargets } from '@tocsin/netguard';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardedLogos } from '../src/clients/guarded-logos.ts';
import { freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
const PNG_HEAD = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** An image that contains every possible byte value. */
const PNG = Buffer.concat([PNG_HEAD, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]);
const pngOf = (length: number) => Buffer.concat([PNG_HEAD, Buffer.alloc(length - PNG_HEAD.length)]);

const files = new Map<string, Buffer>([
  ['/logo.svg', SVG],
  ['/logo.png', PNG],
  ['/largest.png', pngOf(100_000)],
  ['/too-large.png', pngOf(100_001)],
  ['/page.html', Buffer.from('<html></html>')],
  ['/changing.png', PNG],
]);
const requests: string[] = [];
const server = createServer((request, response) => {
  const path = request.url ?? '';
  requests.push(path);
  const file = files.get(path.replace(/\?.*/, ''));
  // The type that the server sends is not used.
  response.writeHead(file ? 200 : 404, { 'content-type': 'text/html' }).end(file);
});

const clock = manualClock('2026-03-10T12:00:30Z');
const setTime = (time: string) => clock.advance(Date.parse(time) - clock.now().getTime());
const guard = createNetguard({ allow: parseAllowedTargets('127.0.0.1') });
const fixture = await statusPageFixture({ now: clock.now, logos: guardedLogos(guard) });
const anOrganization = () => fixture.as(v7());
const us = await anOrganization();
let filesUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  filesUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await fixture[Symbol.asyncDispose]();
});

async function createPage(logos: { light?: string; dark?: string }, as = us) {
  const slug = freshSlug();
  const { light, dark } = logos;
  const { statusPage } = await fixture.rpc.createStatusPage(
    {
      name: 'Acme',
      slug,
      enabled: true,
      ...(light !== undefined && { logoLightUrl: light }),
      ...(dark !== undefined && { logoDarkUrl: dark }),
    },
    as,
  );
  const id = statusPage?.id ?? '';
  const url = `${fixture.url}/s/${slug}`;
  return {
    id,
    slug,
    error: async () => (await fixture.rpc.getStatusPage({ id }, as)).statusPage?.logoError,
    /** Returns the page's HTML, the paths of its logos, and its content security policy. */
    async view() {
      const response = await fetch(url);
      const text = await response.text();
      const paths = [...text.matchAll(/<img class="logo [^"]*" src="([^"]*)"/g)].map(([, src = '']) => src);
      return { text, paths, policy: response.headers.get('content-security-policy') ?? '' };
    },
  };
}

test.each([
  ['/logo.svg', 'svg', 'image/svg+xml; charset=utf-8', SVG],
  ['/logo.png', 'png', 'image/png', PNG],
  ['/largest.png', 'png', 'image/png', pngOf(100_000)],
])("the logo %s is served below the page's address", async (path, format, type, content) => {
  const { error, slug, view } = await createPage({ light: `${filesUrl}${path}` });
  const { paths, policy, text } = await eventually(async () => {
    const viewed = await view();
    expect(viewed.paths).toHaveLength(1);
    return viewed;
  });
  expect(paths[0]).toMatch(new RegExp(`^/s/${slug}/logo/[0-9a-f]{32}\\.${format}$`));
  expect(policy).toContain("img-src 'self' data:;");
  expect(text).not.toContain(filesUrl);
  expect(await error()).toBe('');

  const image = await fetch(`${fixture.url}${paths[0]}`);
  expect(image.status).toBe(200);
  expect(image.headers.get('content-type')).toBe(type);
  expect(image.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(image.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  expect(image.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await image.arrayBuffer()).equals(content)).toBe(true);
  expect((await fetch(`${fixture.url}/s/${slug}/logo/${'0'.repeat(32)}.${format}`)).status).toBe(404);
});

test('a page has one logo for light and one for dark backgrounds, and a cleared logo is removed', async () => {
  const { id, view } = await createPage({ light: `${filesUrl}/logo.svg`, dark: `${filesUrl}/logo.png` });
  await eventually(async () => expect((await view()).paths.map((path) => path.slice(-4))).toEqual(['.svg', '.png']));
  expect((await view()).text).toContain('class="logo for-dark"');
  await fixture.rpc.updateStatusPage({ id, logoLightUrl: {} }, us);
  expect((await view()).paths.map((path) => path.slice(-4))).toEqual(['.png']);
});

test.each([
  ['/nothing.png', 'logo_dark_url: the server returned 404'],
  ['/too-large.png', 'logo_dark_url: the file is larger than 100 kB'],
  ['/page.html', 'logo_dark_url: the file is not a PNG, JPEG, GIF, WebP or SVG image'],
])('the owner sees why the logo %s is not shown, and visitors see only the page name', async (path, reason) => {
  const { error, view } = await createPage({ dark: `${filesUrl}${path}` });
  await eventually(async () => expect(await error()).toBe(reason));
  const { paths, text, policy } = await view();
  expect(paths).toEqual([]);
  expect(text).toContain('<h1><bdi>Acme</bdi></h1>');
  expect(policy).toContain('img-src data:;');
});

test('no logo is fetched from a private address', async () => {
  const before = requests.length;
  const { error } = await createPage({ light: filesUrl.replace('127.0.0.1', '127.0.0.2') });
  await eventually(async () => expect(await error()).toContain('is not a public address'));
  expect(requests).toHaveLength(before);
});

test('a logo is fetched once when its URL is set, and again after a day', async () => {
  const url = `${filesUrl}/changing.png?once`;
  const them = await anOrganization();
  const { id, error, view } = await createPage({ light: url }, them);
  const fetches = () => requests.filter((path) => path === '/changing.png?once').length;
  const [first] = await eventually(async () => {
    const { paths } = await view();
    expect(paths).toHaveLength(1);
    return paths;
  });
  await fixture.rpc.updateStatusPage({ id, name: 'Renamed', logoLightUrl: { value: url } }, them);
  setTime('2026-03-11T12:00:29Z');
  // A second fetch of the first logo would happen before the fetch of this other logo.
  const other = await createPage({ light: `${filesUrl}/logo.svg` }, await anOrganization());
  await eventually(async () => expect((await other.view()).paths).toHaveLength(1));
  expect(fetches()).toBe(1);

  files.set('/changing.png', pngOf(500));
  setTime('2026-03-11T12:01:00Z');
  await eventually(async () => {
    const { paths } = await view();
    expect(paths).toHaveLength(1);
    expect(paths).not.toEqual([first]);
  });
  expect(fetches()).toBe(2);
  // After a failure, the last image is still served.
  files.delete('/changing.png');
  setTime('2026-03-12T12:02:00Z');
  await eventually(async () => expect(await error()).toContain('404'));
  expect((await view()).paths).toHaveLength(1);
});

test('at most ten logos of an organization are fetched per minute', async () => {
  setTime('2026-03-20T12:00:10Z');
  const them = await anOrganization();
  for (let count = 0; count < 11; count += 1) await createPage({ light: `${filesUrl}/logo.svg?many-${count}` }, them);
  const fetches = () => requests.filter((path) => path.includes('?many-')).length;
  await eventually(() => expect(fetches()).toBe(10));
  // The logo of another organization is fetched in the same minute.
  const { view } = await createPage({ light: `${filesUrl}/logo.svg?ours` }, await anOrganization());
  await eventually(async () => expect((await view()).paths).toHaveLength(1));
  expect(fetches()).toBe(10);
  setTime('2026-03-20T12:01:00Z');
  await eventually(() => expect(fetches()).toBe(11));
});
