import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { PREVIEWS } from '../src/web/previews.ts';
import { LOOKS, STATUS_COLORS } from '../src/web/status-colors.ts';
import { documents, openBrowser } from './browser-pages.ts';

const fixture = await openBrowser();
afterAll(() => fixture[Symbol.asyncDispose]());
const { browser, url, open } = fixture;

const VIEWS = [
  '/calm',
  '/outage',
  '/ar/calm',
  '/ar/outage',
  '/de/outage',
  '/component',
  '/subscribe',
  '/ar/subscribe',
  '/embed',
].flatMap((path) =>
  [390, 1440].flatMap((width) => (['light', 'dark'] as const).map((scheme) => [path, width, scheme] as const)),
);

test.each(VIEWS)(
  'the page %s has no accessibility violation at %d px in the %s theme',
  async (path, width, colorScheme) => {
    const page = await open(path, { viewport: { width, height: 900 }, colorScheme });
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    // The focus shows the tooltip of a day, so that the tooltip is checked too.
    if (!path.endsWith('/subscribe') && path !== '/embed') await page.focus('.component > a, .bars svg');
    await page.evaluate(axe.source);
    // A document in a frame needs no headings or landmarks.
    const tags = [
      'wcag2a',
      'wcag2aa',
      'wcag21a',
      'wcag21aa',
      'wcag22aa',
      ...(path === '/embed' ? [] : ['best-practice']),
    ];
    const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
    const { violations } = await page.evaluate<axe.AxeResults>(run);
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
    await page.context().close();
  },
);

test.each([
  '/calm',
  '/outage',
  '/long',
  '/long-names',
  '/ar/outage',
  '/de/calm',
  '/de/outage',
  '/component',
  '/subscribe',
  '/ar/subscribe',
  '/embed',
  '/de/embed',
])('the page %s is not wider than a screen of 320 px', async (path) => {
  const page = await open(path, { viewport: { width: 320, height: 700 } });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await page.context().close();
});

test('a long page has at most 6,000 elements, and the content security policy blocks none of its resources', async () => {
  const blocked: string[] = [];
  const page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') blocked.push(message.text());
  });
  await page.goto(`${url}/long`);
  expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThanOrEqual(6_000);
  expect(blocked).toEqual([]);
  await page.context().close();
});

test('the only tab stop of each component is its link, and the days of its bars can be read while the link has the focus', async () => {
  const page = await open('/outage', { viewport: { width: 1440, height: 900 } });
  const tip = page.locator('.tip');
  expect(await page.locator('.component a').count()).toBe(14);
  expect(await page.locator('.component [tabindex]').count()).toBe(0);
  await page.focus('.group > summary');
  for (const id of ['c0', 'c1']) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(`/s/northwind/components/${id}`);
    await expect.poll(() => tip.textContent()).toMatch(/^10 Mar 2026\n/);
  }
  await page.keyboard.press('Shift+Tab');
  await readDays(page);
  // After Escape, the keys scroll the page as usual.
  await page.keyboard.press('End');
  expect(await tip.isVisible()).toBe(false);
  await page.keyboard.press('ArrowLeft');
  expect(await tip.textContent()).toMatch(/^9 Mar 2026\n/);
  await page.context().close();
});

test('on the page of a component, its bars are a tab stop', async () => {
  const page = await open('/component', { viewport: { width: 1440, height: 900 } });
  await page.focus('h1 a');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.matches(".bars svg")')).toBe(true);
  await readDays(page);
  await page.context().close();
});

/** Moves through the days of the focused bars with the keyboard, starting at the current day. */
async function readDays(page: Page): Promise<void> {
  const tip = page.locator('.tip');
  await expect.poll(() => tip.textContent()).toBe('10 Mar 2026\nMajor outage · 38 mins');
  await page.keyboard.press('ArrowLeft');
  expect(await tip.textContent()).toBe('9 Mar 2026\nNo disruptions');
  await page.keyboard.press('Home');
  expect(await tip.textContent()).toMatch(/^11 Dec 2025\n/);
  await page.keyboard.press('ArrowLeft');
  expect(await tip.textContent()).toMatch(/^11 Dec 2025\n/);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  expect(await tip.textContent()).toMatch(/^10 Mar 2026\n/);
  await page.keyboard.press('Escape');
  expect(await tip.isVisible()).toBe(false);
}

test('the text for screen readers covers the days that are visible', async () => {
  const page = await open('/outage', { viewport: { width: 1440, height: 900 } });
  const label = () => page.locator('.bars svg').first().getAttribute('aria-label');
  expect(await label()).toContain('uptime over 90 days');
  await page.setViewportSize({ width: 390, height: 900 });
  await expect.poll(label).toContain('uptime over 30 days');
  await page.reload();
  expect(await label()).toContain('uptime over 30 days');
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(label).toContain('uptime over 90 days');
  await page.context().close();
});

test('another site can show the status in a frame and choose its theme, but cannot show the page itself in a frame', async () => {
  const frames = ['/embed?theme=dark', '/embed?theme=x', '/outage'].map(
    (path) => `<iframe src="${url}${path}"></iframe>`,
  );
  documents['/elsewhere'] = { text: frames.join(''), contentSecurityPolicy: 'frame-src *', version: '' };
  const page = await open('/elsewhere', { colorScheme: 'light' });
  await page.goto(`${url.replace('127.0.0.1', 'localhost')}/elsewhere`);
  const [dark, unchanged, refused] = page.frames().slice(1);
  const theme = (frame: Frame | undefined) => frame?.evaluate('document.documentElement.dataset.theme');
  const colors = (frame: Frame | undefined) =>
    frame?.evaluate('getComputedStyle(document.documentElement).colorScheme');
  expect(await dark?.locator('a').textContent()).toBe('Major outage');
  expect([await theme(dark), await theme(unchanged)]).toEqual(['dark', 'system']);
  expect([await colors(dark), await colors(unchanged)]).toEqual(['dark', 'light']);
  expect(await refused?.locator('.banner').count()).toBe(0);
  await page.context().close();
});

test('a narrow screen shows 30 days, and pointing at a day shows its details', async () => {
  const page = await open('/outage', { viewport: { width: 390, height: 2000 } });
  const box = await page.locator('.bars').first().boundingBox();
  if (!box) throw new Error('there is no bar');
  const tip = page.locator('.tip');
  await page.mouse.move(box.x + box.width - 3, box.y + 5);
  expect(await tip.textContent()).toBe('10 Mar 2026\nMajor outage · 38 mins');
  await page.mouse.move(box.x + 3, box.y + 5);
  expect(await tip.textContent()).toMatch(/^9 Feb 2026\n/);
  await page.mouse.move(box.x, box.y - 200);
  expect(await tip.isVisible()).toBe(false);
  await page.context().close();
});

test('on a page that is read from right to left, the current day is at the left end of the bars', async () => {
  const page = await open('/ar/outage', { viewport: { width: 390, height: 2000 }, locale: 'ar' });
  const box = await page.locator('.bars').first().boundingBox();
  if (!box) throw new Error('there is no bar');
  const tip = page.locator('.tip');
  await page.mouse.move(box.x + 3, box.y + 5);
  expect(await tip.textContent()).toBe('10 مارس 2026\nانقطاع كبير · 38 د');
  await page.mouse.move(box.x + box.width - 3, box.y + 5);
  expect(await tip.textContent()).toMatch(/^9 فبراير 2026\n/);
  const shape = await page.locator('.bars path.is-major_outage').first().boundingBox();
  expect(shape?.x).toBeCloseTo(box.x, 0);
  await page.focus('.component > a');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  expect(await tip.textContent()).toMatch(/^9 مارس 2026\n/);
  await page.keyboard.press('ArrowLeft');
  expect(await tip.textContent()).toMatch(/^10 مارس 2026\n/);
  await page.context().close();
});

test.each([390, 1440])(
  'an Arabic page is laid out from right to left and does not scroll sideways at %d px',
  async (width) => {
    const page = await open('/ar/outage', { viewport: { width, height: 900 }, locale: 'ar' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const places = await page.evaluate<number[]>(`['.name bdi', '.component .status'].map((selector) =>
    document.querySelector('.component').querySelector(selector.replace('.component ', '')).getBoundingClientRect().left)`);
    const [name = 0, status = 0] = places;
    expect(name).toBeGreaterThan(status);
    await page.context().close();
  },
);

test("times are in the visitor's time zone with UTC as the tooltip, and in UTC without scripts", async () => {
  const local = await open('/outage', { timezoneId: 'Asia/Kolkata' });
  const times = (page: Page) =>
    page
      .locator('#disruption-outage .latest time, #disruption-maintenance time')
      .evaluateAll((all) => all.slice(0, 2).map((time) => [time.textContent, time.getAttribute('title')]));
  expect(await times(local)).toEqual([
    ['18 min ago · 19:32', '10 Mar 2026, 14:02 UTC'],
    ['13 Mar 2026, 19:50', '13 Mar 2026, 14:20 UTC'],
  ]);
  await local.context().close();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${url}/outage`);
  expect(await plain.locator('#disruption-outage .latest time').textContent()).toBe('10 Mar 2026, 14:02 UTC');
  await context.close();
});

test('a page in the dark theme is printed in black on white', async () => {
  const page = await open('/outage', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const colors = await page.evaluate(`['body', '.banner'].map((selector) => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector(selector));
    return [color, backgroundColor];
  })`);
  expect(colors).toEqual([
    ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'],
    ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'],
  ]);
  await page.context().close();
});

test.each([
  ['Asia/Kolkata', '13 Mar 2026, 19:50 – 21:20'],
  ['Asia/Tokyo', '13 Mar 2026, 23:20 – 14 Mar 2026'],
])('in time zone %s, the end of a period has a date only if it is on another day', async (timezoneId, period) => {
  const page = await open('/outage', { timezoneId });
  expect(await page.locator('#disruption-maintenance > .muted').textContent()).toContain(period);
  await page.context().close();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${url}/outage`);
  const text = await plain.locator('#disruption-maintenance > .muted').textContent();
  expect(text).toContain('13 Mar 2026, 14:20 UTC – 15:50 UTC');
  await context.close();
});

test('a printed page has no relative times', async () => {
  const page = await open('/outage');
  const times = () => page.locator('time[datetime]:visible').allTextContents();
  expect((await times()).some((time) => time.includes('ago'))).toBe(true);
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  const printed = await times();
  expect(printed.filter((time) => time.includes('ago'))).toEqual([]);
  expect(printed).toContain('10 Mar 2026, 14:02');
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  expect((await times()).some((time) => time.includes('ago'))).toBe(true);
  await page.context().close();
});

test('the banner icon is visible in forced colors', async () => {
  const page = await open('/outage', { forcedColors: 'active' });
  const colors = await page.evaluate(`['.banner .icon', '.headline'].map((selector) =>
    getComputedStyle(document.querySelector(selector)).color)`);
  expect(colors).toEqual(['rgb(0, 0, 0)', 'rgb(0, 0, 0)']);
  await page.context().close();
});

test.each(LOOKS)('the preview image for the status %s has the color of the status', async (look) => {
  const page = await browser.newPage();
  const image = PREVIEWS.get(`preview/${look}.png`)?.toString('base64');
  const color = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${image}';
    await image.decode();
    const context = document.createElement('canvas').getContext('2d');
    context.drawImage(image, 0, 0);
    const [red, green, blue] = context.getImageData(10, 10, 1, 1).data;
    return '#' + [red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('');
  })()`);
  // If this fails, run `npm run previews` to draw the images again.
  expect(color).toBe(STATUS_COLORS[look].light);
  await page.close();
});
