import type { FrameLocator, Locator, Page } from 'playwright-core';
import {
  either,
  fields,
  flag,
  listOf,
  number,
  oneOf,
  type Reader,
  Refusal,
  readAll,
  text,
  textOrPattern,
} from './readers.ts';

const MAX_LINKS = 20;

const timeout = fields({ timeout: number });
const act = fields({ timeout: number, force: flag, trial: flag, noWaitAfter: flag });
const position = fields({ x: number, y: number });
const modifiers = listOf(oneOf('Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'));
const click = fields({
  timeout: number,
  force: flag,
  trial: flag,
  noWaitAfter: flag,
  position,
  modifiers,
  delay: number,
  clickCount: number,
  button: oneOf('left', 'right', 'middle'),
});
const byText = fields({ exact: flag });
const option = fields({ value: text, label: text, index: number });

/** Methods allowed in a locator chain, with a validator for each argument. */
const MAKERS: Readonly<Record<string, readonly Reader[]>> = {
  locator: [text, filter],
  frameLocator: [text],
  getByRole: [
    text,
    fields({
      name: textOrPattern,
      exact: flag,
      checked: flag,
      disabled: flag,
      expanded: flag,
      includeHidden: flag,
      level: number,
      pressed: flag,
      selected: flag,
    }),
  ],
  getByText: [textOrPattern, byText],
  getByLabel: [textOrPattern, byText],
  getByPlaceholder: [textOrPattern, byText],
  getByAltText: [textOrPattern, byText],
  getByTitle: [textOrPattern, byText],
  getByTestId: [textOrPattern],
  filter: [filter],
  first: [],
  last: [],
  nth: [number],
};

/** Calls allowed on the elements of a locator chain, with a validator for each argument. */
export const LOCATOR_CALLS: Readonly<Record<string, readonly Reader[]>> = {
  click: [click],
  dblclick: [click],
  hover: [click],
  tap: [act],
  focus: [timeout],
  blur: [timeout],
  fill: [text, act],
  clear: [act],
  press: [text, fields({ timeout: number, delay: number, noWaitAfter: flag })],
  pressSequentially: [text, fields({ timeout: number, delay: number })],
  type: [text, fields({ timeout: number, delay: number })],
  check: [act],
  uncheck: [act],
  setChecked: [flag, act],
  selectOption: [either(text, either(option, listOf(either(text, option)))), act],
  scrollIntoViewIfNeeded: [timeout],
  waitFor: [fields({ timeout: number, state: oneOf('attached', 'detached', 'visible', 'hidden') })],
  textContent: [timeout],
  innerText: [timeout],
  innerHTML: [timeout],
  inputValue: [timeout],
  getAttribute: [text, timeout],
  isVisible: [timeout],
  isHidden: [timeout],
  isEnabled: [timeout],
  isDisabled: [timeout],
  isChecked: [timeout],
  isEditable: [timeout],
  count: [],
  allTextContents: [],
  allInnerTexts: [],
};

/** Returns the Playwright locator for a chain. */
export function locatorOf(page: Page, chain: unknown): Locator {
  if (!Array.isArray(chain) || chain.length === 0 || chain.length > MAX_LINKS) {
    throw new Refusal(`a locator has 1 to ${MAX_LINKS} parts`);
  }
  let found: Page | Locator | FrameLocator = page;
  for (const link of chain) {
    const [name, ...args]: unknown[] = Array.isArray(link) ? link : [];
    const readers = typeof name === 'string' && Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
    const make: unknown = readers && typeof name === 'string' ? Reflect.get(found, name) : undefined;
    if (!readers || typeof make !== 'function') throw new Refusal(`a locator has no ${String(name).slice(0, 50)} here`);
    const made: unknown = Reflect.apply(
      make,
      found,
      readAll(readers, args).map((arg) => withLocators(page, arg)),
    );
    // The type cast is safe, because all methods in the table return one of these types.
    found = made as Locator | FrameLocator;
  }
  return found as Locator;
}

/** A locator chain in the options of another chain. It is converted to a locator when the page is known. */
class Nested {
  readonly chain: unknown;

  constructor(chain: unknown) {
    this.chain = chain;
  }
}

function nested(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '$chain')) {
    const chain: unknown = Reflect.get(value, '$chain');
    // Only one level of nesting is allowed, which bounds the recursion.
    if (JSON.stringify(chain).includes('$chain')) throw new Refusal('must be a locator without one inside');
    return new Nested(chain);
  }
  throw new Refusal('must be a locator');
}

function filter(value: unknown): unknown {
  return fields({ hasText: textOrPattern, hasNotText: textOrPattern, has: nested, hasNot: nested, visible: flag })(
    value,
  );
}

function withLocators(page: Page, arg: unknown): unknown {
  if (typeof arg !== 'object' || arg === null || arg instanceof RegExp) return arg;
  return Object.fromEntries(
    Object.entries(arg).map(([name, inner]) => [name, inner instanceof Nested ? locatorOf(page, inner.chain) : inner]),
  );
}
