import { equals, show } from './equals.ts';
import { spell } from './expect-value.ts';
import type { Locator } from './locator.ts';
import { matchesUrl } from './url-pattern.ts';
import type { Wire } from './wire.ts';

interface Look {
  readonly holds: boolean;
  /** Actual value that the matcher compared. */
  readonly seen: unknown;
}

type Matcher = (expected: readonly unknown[]) => Promise<Look>;

const PATIENCE_MS = 5_000;
const EVERY_MS = 100;

const squeeze = (value: unknown) => String(value).replaceAll(/\s+/g, ' ').trim();

function hasText(seen: unknown, expected: unknown, whole: boolean): boolean {
  if (expected instanceof RegExp) return expected.test(String(seen));
  return whole ? squeeze(seen) === squeeze(expected) : squeeze(seen).includes(squeeze(expected));
}

/** Returns the matchers for a locator. A matcher waits until the locator matches. */
export function expectLocator(
  wire: Wire,
  { page, chain }: Locator,
  negated: boolean,
  fail: (message: string) => never,
) {
  const ask = (method: string, ...args: unknown[]) => wire.call(`locator.${method}`, args, page, chain);
  const quickly = { timeout: 1_000 };
  const is =
    (method: string, wanted = true): Matcher =>
    async () => {
      const seen = await ask(method, ...(method === 'isVisible' || method === 'isHidden' ? [] : [quickly]));
      return { holds: seen === wanted, seen };
    };
  const text =
    (method: 'allInnerTexts' | 'allTextContents', whole: boolean): Matcher =>
    async ([expected]) => {
      const seen = (await ask(method)) as string[];
      const holds = Array.isArray(expected)
        ? seen.length === expected.length && expected.every((one, index) => hasText(seen[index], one, whole))
        : seen.length === 1 && hasText(seen[0], expected, whole);
      return { holds, seen: seen.length === 1 ? seen[0] : seen };
    };
  const matchers: Record<string, Matcher> = {
    toBeVisible: is('isVisible'),
    toBeHidden: is('isVisible', false),
    toBeEnabled: is('isEnabled'),
    toBeDisabled: is('isEnabled', false),
    toBeChecked: is('isChecked'),
    toBeEditable: is('isEditable'),
    toBeAttached: async () => {
      const seen = await ask('count');
      return { holds: Number(seen) > 0, seen };
    },
    toHaveCount: async ([expected]) => {
      const seen = await ask('count');
      return { holds: seen === expected, seen };
    },
    toHaveText: text('allTextContents', true),
    toContainText: text('allTextContents', false),
    toHaveValue: async ([expected]) => {
      const seen = await ask('inputValue', quickly);
      return { holds: expected instanceof RegExp ? expected.test(String(seen)) : seen === expected, seen };
    },
    toHaveAttribute: async ([name, expected]) => {
      const seen = await ask('getAttribute', name, quickly);
      const holds = expected instanceof RegExp ? expected.test(String(seen)) : seen === expected;
      return { holds: expected === undefined ? seen !== null : holds, seen };
    },
  };
  const what = chain.map(([method, ...args]) => `${method}(${args.map(show).join(', ')})`).join('.');
  return patient(matchers, what, negated, fail);
}

/** Returns the matchers for a page. A matcher waits until the page matches. */
export function expectPage(
  page: { url(): string; title(): Promise<unknown> },
  negated: boolean,
  fail: (message: string) => never,
) {
  const matchers: Record<string, Matcher> = {
    toHaveURL: async ([expected]) => {
      const seen = page.url();
      return { holds: matchesUrl(expected as string | RegExp, seen), seen };
    },
    toHaveTitle: async ([expected]) => {
      const seen = await page.title();
      return { holds: hasText(seen, expected, true), seen };
    },
  };
  return patient(matchers, 'the page', negated, fail);
}

/**
 * Makes each matcher retry until it matches or times out. The last argument of a matcher can contain the timeout, which
 * defaults to 5 s.
 */
function patient(matchers: Record<string, Matcher>, what: string, negated: boolean, fail: (message: string) => never) {
  return Object.fromEntries(
    Object.entries(matchers).map(([name, look]) => [
      name,
      async (...args: unknown[]) => {
        const options = args.at(-1);
        const isOption = typeof options === 'object' && options !== null && 'timeout' in options;
        const expected = isOption ? args.slice(0, -1) : args;
        const until = performance.now() + (isOption ? Number(options.timeout) : PATIENCE_MS);
        for (;;) {
          const { holds, seen } = await tried(look, expected);
          if (holds !== negated) return;
          if (performance.now() >= until) {
            const words = expected.length > 0 ? ` ${expected.map(show).join(', ')}` : '';
            const found = equals(seen, true) || equals(seen, false) ? '' : `, but found ${show(seen)}`;
            fail(`expected ${what} ${negated ? 'not ' : ''}${spell(name)}${words}${found}`);
          }
          await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        }
      },
    ]),
  );
}

/**
 * Runs a matcher once. An error counts as a mismatch, for example if the element is missing. An error that is not
 * caused by the script, such as a lost browser, is thrown.
 */
async function tried(look: Matcher, expected: readonly unknown[]): Promise<Look> {
  try {
    return await look(expected);
  } catch (error) {
    if (error instanceof Error && 'kind' in error && error.kind !== 'script') throw error;
    return { holds: false, seen: error instanceof Error ? error.message.split('\n')[0] : undefined };
  }
}
