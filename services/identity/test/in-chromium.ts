import { installChromium } from '@tocsin/dev-servers/find-chromium';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { IdentityServer } from '../src/service.ts';

/** Starts a Chromium that reaches identity at the installation's public address. */
export async function launchChromium(identity: Pick<IdentityServer, 'rpcPort'>) {
  const chrome = await chromium.launch({
    executablePath: await installChromium(process.env),
    args: ['--no-sandbox', `--host-resolver-rules=MAP tocsin.* 127.0.0.1:${identity.rpcPort}`],
  });
  return {
    /** Opens a page in a new browser context without cookies, and collects the errors that its console shows. */
    async open(options: BrowserContextOptions = {}) {
      const context = await chrome.newContext(options);
      context.setDefaultTimeout(10_000);
      const errors: string[] = [];
      context.on('console', (message) => {
        // Ignore failed loads, because the browser logs an error for each response with an error status.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load')) errors.push(message.text());
      });
      const page = await context.newPage();
      return { context, page, errors, [Symbol.asyncDispose]: () => context.close() };
    },
    [Symbol.asyncDispose]: () => chrome.close(),
  };
}

/** Presses Tab until the focus is on an element with this text or label. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      '(({ textContent, value, labels }) => [textContent, value, labels?.[0]?.textContent].join(" "))(document.activeElement)',
    );
    if (!focused.includes(text)) continue;
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    return;
  }
  throw new Error(`no element with the text ${text} gets the focus`);
}

/** Verifies, at two widths in both themes, that a page fits its window and has no accessibility violations. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const width of [390, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      const { violations } = await page.evaluate<axe.AxeResults>(
        `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`,
      );
      expect([name, violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])]).toEqual([name, []]);
    }
  }
}

/** Returns the secret that the page for adding an authenticator app shows. */
export async function secretOn(page: Page): Promise<Buffer> {
  const key = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...key].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
