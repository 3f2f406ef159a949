import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type GatewayAlone, startGatewayAlone } from './gateway-alone.ts';
import { referencePath } from './reference.ts';

let gateway: GatewayAlone;
beforeAll(async () => {
  gateway = await startGatewayAlone();
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

test('the API reference contains every operation as HTML and as Markdown, and its pages allow only their own script', async () => {
  const { tags, paths } = parse(await (await fetch(`${gateway.url}/openapi.yaml`)).text()) as Reference;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  expect(operations.length).toBeGreaterThan(40);
  for (const path of ['/docs', ...tags.map(({ name }) => referencePath(name))]) {
    const response = await fetch(`${gateway.url}${path}`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; base-uri 'none';/,
    );
    const page = await response.text();
    const markdown = await fetch(`${gateway.url}${path}.md`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = await markdown.text();
    for (const {
      operationId,
      summary,
      tags: [tag = ''],
    } of operations) {
      if (path === '/docs') expect(page).toContain(`<li id="${operationId}">`);
      if (path !== referencePath(tag)) continue;
      expect(page).toContain(`<article class="operation" id="${operationId}"`);
      expect(text).toContain(`\n## ${summary}\n`);
    }
  }
});

interface Reference {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<
    Record<string, Record<string, { operationId: string; summary: string; tags: readonly string[] }>>
  >;
}

test('all links between documentation pages lead to existing pages and anchors', async () => {
  const index = await (await fetch(`${gateway.url}/llms.txt`)).text();
  const listed = [...index.matchAll(/\(https:\/\/tocsin\.acme\.test(\/docs[^)]*)\.md\)/g)].map(([, path = '']) => path);
  expect(listed.length).toBeGreaterThan(20);
  const pages = new Map(
    await Promise.all(listed.map(async (path) => [path, await (await fetch(`${gateway.url}${path}`)).text()] as const)),
  );
  const entries = (await (await fetch(`${gateway.url}/docs/search.json`)).json()) as { path: string }[];
  const links = [...pages].flatMap(([path, page]) =>
    [...page.matchAll(/href="((?:\/docs[^".]*)?(?:#[^"]+)?)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? path + href : href,
    ),
  );
  const missing = new Set([...links, ...entries.map(({ path }) => path)]).values().filter((link) => {
    const [path = '', anchor] = link.split('#');
    const page = pages.get(path);
    return page === undefined || (anchor !== undefined && !page.includes(` id="${anchor}"`));
  });
  expect([...missing]).toEqual([]);
});

test('guides are served as pages and as Markdown, and llms.txt lists them', async () => {
  const page = await fetch(`${gateway.url}/docs/guides/first-monitor`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  expect(await page.text()).toContain('<h1 id="your-first-monitor">Your first monitor</h1>');
  const markdown = await fetch(`${gateway.url}/docs/guides/first-monitor.md`);
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(await markdown.text()).toMatch(/^# Your first monitor\n/);
  const index = await fetch(`${gateway.url}/llms.txt`);
  expect(await index.text()).toContain('/docs/guides/first-monitor.md)');
  expect((await fetch(`${gateway.url}/docs/guides/nothing`)).status).toBe(404);
});
