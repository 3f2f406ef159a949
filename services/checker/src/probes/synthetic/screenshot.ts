import type { Page } from 'playwright-core';
import { SCRIPT_LIMITS } from '../../domain/script-run.ts';

const WITHIN_MS = 3_000;
const QUALITIES = [60, 20];

/**
 * Returns a screenshot of a page with secrets covered, as a JPEG in base64. Returns undefined if the page can't be
 * captured, or if the screenshot can't be made small enough.
 */
export async function takeScreenshot(page: Page | undefined, secrets: readonly string[]): Promise<string | undefined> {
  if (!page || page.url() === 'about:blank') return undefined;
  const mask = [page.locator('input, textarea'), ...secrets.map((secret) => page.getByText(secret))];
  try {
    for (const quality of QUALITIES) {
      const image = await page.screenshot({ type: 'jpeg', quality, timeout: WITHIN_MS, mask, animations: 'disabled' });
      if (image.length <= SCRIPT_LIMITS.screenshotBytes) return image.toString('base64');
    }
  } catch {
    // A page that crashed or hangs has no screenshot, only the error text.
  }
  return undefined;
}
