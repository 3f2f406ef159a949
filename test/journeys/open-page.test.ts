import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { eventually } from '@tocsin/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, separateProcesses, startNetwork } from '../network.ts';
import { startReceiver } from '../receiver.ts';
import { startTarget, type Target } from '../target.ts';
import { openShop, type Shop } from './shop.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let target: Target;
let shop: Shop;
let browser: Browser;
beforeAll(async () => {
  const executablePath = await installChromium(process.env);
  target = stack.use(await startTarget());
  // The gateway verifies a page every two seconds, so that it soon detects that statuspage is down.
  network = stack.use(await startNetwork({ ...separateProcesses, TOCSIN_PAGE_MAX_AGE_S: '2' }));
  shop = await openShop(network, target, stack.use(await startReceiver()));
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  stack.defer(() => browser.close());
}, 240_000);
afterAll(() => stack.disposeAsync());

/** Opens the page of the shop, and sets a property of its `window`, which a reload would remove. */
async function openPage(
  slug = shop.slug,
): Promise<{ page: Page; problems: string[]; isSameDocument: () => Promise<boolean> }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${network.baseUrl}/s/${slug}`);
  await page.evaluate('window.isMarked = true');
  return { page, problems, isSameDocument: async () => (await page.evaluate('window.isMarked')) === true };
}

const textOf = (page: Page) => page.locator('main').textContent();

test('without a reload, an open page shows an outage within two seconds of the result, and later the recovery', async () => {
  await eventually(async () => expect(await shop.state()).toBe('up'));
  await eventually(async () => expect(await shop.page()).toContain('All systems operational'));
  const { page, problems, isSameDocument } = await openPage();
  expect(await textOf(page)).toContain('All systems operational');

  for (const [change, state, text] of [
    [() => target.break(), 'down', 'Major outage'],
    [() => target.repair(), 'up', 'All systems operational'],
  ] as const) {
    change();
    await shop.nudge();
    await eventually(async () => expect(await shop.state()).toBe(state), { timeoutMs: 60_000 });
    const decided = Date.now();
    await eventually(async () => expect(await textOf(page)).toContain(text), { timeoutMs: 5_000 });
    console.log(`the open page shows ${state} ${Date.now() - decided} ms after the state`);
    expect(Date.now() - decided).toBeLessThan(2_000);
  }
  expect(await isSameDocument()).toBe(true);
  expect(problems).toEqual([]);
  await page.close();
});

test('a group that the visitor closed stays closed and focused when the page changes', async () => {
  const { id } = await network.api.post<{ id: string }>('/status-pages', {
    name: 'Groups',
    slug: 'groups',
    enabled: true,
  });
  const components = [{ type: 'group', name: 'Core', components: [{ type: 'component', name: 'API' }] }];
  await network.api.put(`/status-pages/${id}/structure`, { components });
  const { page, isSameDocument } = await openPage('groups');
  const group = page.locator('details', { hasText: 'Core' });
  const isOpen = () => group.evaluate((element) => element.hasAttribute('open'));
  const before = await isOpen();
  await group.locator('summary').press('Enter');
  expect(await isOpen()).toBe(!before);
  await network.api.patch(`/status-pages/${id}`, { name: 'Renamed' });
  await eventually(async () => expect(await page.title()).toContain('Renamed'));
  expect(await isOpen()).toBe(!before);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  expect(await isSameDocument()).toBe(true);
  await page.close();
});

test('while statuspage is down, an open page shows a notice that it may be outdated, and hides it when statuspage is back', async () => {
  const { page, isSameDocument } = await openPage();
  const notice = page.locator('.as-of');
  expect(await notice.isVisible()).toBe(false);
  await eventually(
    async () => {
      network.kill('statuspage');
      expect(await notice.isVisible()).toBe(true);
    },
    { timeoutMs: 30_000, intervalMs: 100 },
  );
  expect(await notice.textContent()).toMatch(/as of /);
  await eventually(async () => expect(await notice.isVisible()).toBe(false), { timeoutMs: 30_000 });
  expect(await isSameDocument()).toBe(true);
  await page.close();
});
