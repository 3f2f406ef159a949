import { installChromium } from '@tocsin/dev-servers/find-chromium';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatewayAlone } from './gateway-alone.ts';

const stack = new AsyncDisposableStack();
let url: string;
let browser: Browser;
const errors: string[] = [];

beforeAll(async () => {
  ({ url } = stack.use(await startGatewayAlone()));
  // The first request builds the document, which takes seconds on a busy machine.
  await fetch(`${url}/docs`);
  const executablePath = await installChromium(process.env);
  browser = stack.use(await chromium.launch({ executablePath, args: ['--no-sandbox'] }));
});
afterAll(async () => {
  await stack.disposeAsync();
  expect(errors).toEqual([]);
});

/** Opens a page in a new browser context. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(`${url}${path}`);
  return page;
}

const VIEWS = [
  ['/docs', 390, 'dark'],
  ['/docs', 1440, 'light'],
  ['/docs/reference/webhooks', 390, 'light'],
  ['/docs/reference/webhooks', 390, 'dark'],
  ['/docs/reference/webhooks', 1440, 'light'],
  ['/docs/reference/webhooks', 1440, 'dark'],
  // The largest page takes the longest to examine.
  ['/docs/reference/monitors', 390, 'light'],
  ['/docs/guides/first-monitor', 390, 'dark'],
  ['/docs/guides/check-types', 1440, 'light'],
] as const;

test.each(VIEWS)('%s has no accessibility violation and fits at %d px in the %s theme', async (path, width, scheme) => {
  await using page = await open(path, { viewport: { width, height: 900 }, colorScheme: scheme });
  await page.getByRole('searchbox').fill('monitor');
  await page.locator('.search li').first().waitFor();
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  await page.evaluate(axe.source);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`);
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
});

test.each([
  ['an operation', '/docs#createMonitor', '/docs/reference/monitors#createMonitor'],
  ['a tag', '/docs#tag-alert-channels', '/docs/reference/alert-channels'],
  ['an operation of another page', '/docs/reference/monitors#createWebhook', '/docs/reference/webhooks#createWebhook'],
])('an anchor of the former single page leads to %s', async (_, from, to) => {
  await using page = await open(from);
  await page.waitForURL(`${url}${to}`);
});

test('an anchor on the first page does not lead to another page', async () => {
  await using page = await open('/docs#error-404');
  await page.waitForLoadState('networkidle');
  expect(page.url()).toBe(`${url}/docs#error-404`);
});

test('the search finds an operation by one of its fields, and works with the keyboard', async () => {
  await using page = await open('/docs');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('confirm_down_minutes create');
  await page.locator('.search li').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate('document.activeElement.id')).toBe('search');
  await page.keyboard.press('Escape');
  expect(await page.locator('.search li').first().isVisible()).toBe(false);
  await page.keyboard.type(' ');
  await page.locator('.search li').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/docs/reference/monitors#createMonitor`);
  await page.getByRole('searchbox').fill('qwertyuiop');
  await page.getByText('0 results').waitFor({ state: 'attached' });
});

test('the chosen language applies to all samples, even on the next page', async () => {
  await using page = await open('/docs/reference/monitors');
  const sample = (operation: string, language: string) => page.locator(`#${operation} .sample-${language}`);
  expect(await sample('createMonitor', 'curl').isVisible()).toBe(true);
  expect(await sample('createMonitor', 'python').isVisible()).toBe(false);
  await page.locator('#createMonitor').getByLabel('Python').check();
  for (const operation of ['createMonitor', 'listMonitors']) {
    expect(await sample(operation, 'python').isVisible()).toBe(true);
    expect(await sample(operation, 'curl').isVisible()).toBe(false);
  }
  await page.goto(`${url}/docs/reference/webhooks`);
  expect(await sample('createWebhook', 'python').isVisible()).toBe(true);
});

test("a sample's button copies the chosen language, and a guide's button copies its code block", async () => {
  await using page = await open('/docs/reference/monitors', { permissions: ['clipboard-read', 'clipboard-write'] });
  const operation = page.locator('#createMonitor');
  await operation.getByLabel('Go').check();
  await operation.locator('.samples').getByRole('button').click();
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^package main\n.*http\.NewRequest\("POST"/s);
  await page.goto(`${url}/docs/guides/first-monitor`);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^export TOCSIN_URL=\S+\nexport/);
});

test('without scripts, the language of a sample can be changed, and a former anchor shows a link to its operation', async () => {
  await using page = await open('/docs#createMonitor', { javaScriptEnabled: false });
  await page.locator('#createMonitor a').click();
  await page.waitForURL(`${url}/docs/reference/monitors#createMonitor`);
  await page.locator('#createMonitor').getByLabel('JavaScript').check();
  expect(await page.locator('#createMonitor .sample-javascript').isVisible()).toBe(true);
  expect(await page.locator('#createMonitor .sample-curl').isVisible()).toBe(false);
  expect(await page.getByRole('button').count()).toBe(0);
});
