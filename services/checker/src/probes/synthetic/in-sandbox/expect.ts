import { CheckError } from './check-error.ts';
import { expectLocator, expectPage } from './expect-locator.ts';
import { expectValue } from './expect-value.ts';
import { isLocator } from './locator.ts';
import type { Wire } from './wire.ts';

/** Creates `expect(value)`, `expect(locator)` and `expect(page)` with Playwright's matchers. */
export function createExpect(wire: Wire) {
  return (actual: unknown, words?: unknown) => {
    // The error is created here, so that its stack contains the frame of the script.
    const asked = new Error('asked');
    const fail = (message: string): never => {
      throw new CheckError(typeof words === 'string' ? `${words}: ${message}` : message, 'script', asked);
    };
    const matchers = (negated: boolean) => {
      if (isLocator(actual)) return expectLocator(wire, actual, negated, fail);
      if (isPage(actual)) return expectPage(actual, negated, fail);
      return expectValue(actual, negated, fail);
    };
    return { ...matchers(false), not: matchers(true) };
  };
}

function isPage(value: unknown): value is { url(): string; title(): Promise<unknown> } {
  return typeof value === 'object' && value !== null && 'pageId' in value;
}
