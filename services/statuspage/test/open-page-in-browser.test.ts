import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { documents, openBrowser, render } from './browser-pages.ts';

const fixture = await openBrowser();
afterAll(() => fixture[Symbol.asyncDispose]());
const { browser, url } = fixture;

test('the status in a frame is updated by polling, without a live connection', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await page.clock.install();
  const isOperational = render({ components: 8 }, 'en', { kind: 'embed' });
  documents['/embed-later'] = render({ components: 8, affected: 1 }, 'en', { kind: 'embed' });
  await page.goto(`${url}/embed-later`);
  expect(await page.locator('a').textContent()).toBe('Major outage');
  documents['/embed-later'] = isOperational;
  await page.clock.runFor(35_000);
  await expect.poll(() => page.locator('a').textContent()).toBe('All systems operational');
  expect(new Set(requested)).toEqual(new Set(['/embed-later']));
  await context.close();
});

/** Opens a page whose live connection receives only the events that `announce` sends. */
async function openLive(
  path: string,
): Promise<{ page: Page; announce: (event: 'page' | 'alive', data: string) => Promise<void> }> {
  const page = await (await browser.newContext()).newPage();
  await page.clock.install();
  await page.addInitScript(`window.EventSource = class extends EventTarget {
    constructor() { super(); window.live = this; }
  }`);
  await page.goto(`${url}${path}`);
  const announce = async (event: string, data: string) => {
    await page.evaluate(`live.dispatchEvent(new MessageEvent('${event}', { data: '${data}' }))`);
  };
  return { page, announce };
}

test('an open page keeps the newest version if the response with an older one arrives later', async () => {
  documents['/live'] = render({ components: 8 });
  const { page, announce } = await openLive('/live');
  const status = () => page.locator('.headline').textContent();
  expect(await status()).toBe('All systems operational');
  const older = render({ components: 8, affected: 1 });
  const { promise: isLate, resolve: sendOlder } = Promise.withResolvers<void>();
  await page.route(
    '**/live',
    async (route) => {
      await isLate;
      await route.fulfill({ contentType: 'text/html', headers: { etag: `"${older.version}"` }, body: older.text });
    },
    { times: 1 },
  );
  const [late] = await Promise.all([page.waitForRequest('**/live'), announce('page', older.version)]);
  documents['/live'] = render({ components: 9 });
  await announce('page', documents['/live'].version);
  await expect.poll(() => page.locator('.component').count(), { timeout: 10_000 }).toBe(9);
  sendOlder();
  await (await late.response())?.finished();
  // The script has read the response before a request that is sent afterwards ends.
  await page.evaluate(`fetch('/live').then((response) => response.text())`);
  expect(await status()).toBe('All systems operational');
  expect(await page.locator('.component').count()).toBe(9);
  await page.context().close();
});

test('an open page that can not load an announced version shows that it may be outdated, in spite of heartbeats', async () => {
  documents['/live-behind'] = render({ components: 8 });
  const { page, announce } = await openLive('/live-behind');
  const notice = page.locator('.as-of');
  const wait = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 15) {
      await page.clock.runFor(15_000);
      await announce('alive', 'ok');
    }
  };
  await wait(90);
  expect(await notice.isVisible()).toBe(false);
  await page.route('**/live-behind', (route) => route.abort());
  documents['/live-behind'] = render({ components: 9 });
  await announce('page', documents['/live-behind'].version);
  await wait(90);
  expect(await notice.isVisible()).toBe(true);
  await page.unroute('**/live-behind');
  await page.clock.runFor(5_000);
  await expect.poll(() => page.locator('.component').count(), { timeout: 10_000 }).toBe(9);
  await wait(90);
  expect(await notice.isVisible()).toBe(false);
  await page.context().close();
});

test('an open page that gets an old copy of an announced version requests the page again', async () => {
  documents['/live-stale'] = render({ components: 8 });
  const { page, announce } = await openLive('/live-stale');
  const next = render({ components: 9 });
  const old = page.waitForResponse('**/live-stale');
  await announce('page', next.version);
  await page.clock.runFor(1_000);
  await (await old).finished();
  documents['/live-stale'] = next;
  await announce('alive', 'ok');
  await expect
    .poll(
      async () => {
        await page.clock.runFor(5_000);
        return page.locator('.component').count();
      },
      { timeout: 10_000 },
    )
    .toBe(9);
  await page.context().close();
});
