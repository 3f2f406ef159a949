import type { Link } from '../protocol.ts';
import { encode, type Wire } from './wire.ts';

/** Methods of a page or locator that return a locator. */
export const MAKERS = [
  ...['locator', 'frameLocator', 'getByRole', 'getByText', 'getByLabel', 'getByPlaceholder', 'getByTestId'],
  ...['getByAltText', 'getByTitle', 'filter', 'first', 'last', 'nth'],
] as const;

/** Methods of a locator that run in the host process. */
const ACTIONS = [
  ...['click', 'dblclick', 'hover', 'focus', 'blur', 'fill', 'clear', 'press', 'pressSequentially', 'type', 'check'],
  ...['uncheck', 'setChecked', 'selectOption', 'tap', 'scrollIntoViewIfNeeded', 'waitFor', 'textContent', 'innerText'],
  ...['innerHTML', 'inputValue', 'getAttribute', 'isVisible', 'isHidden', 'isEnabled', 'isDisabled', 'isChecked'],
  ...['isEditable', 'count', 'allTextContents', 'allInnerTexts'],
] as const;

type Method = (...args: unknown[]) => unknown;

export interface Locator {
  readonly page: number;
  readonly chain: readonly Link[];
  readonly [method: string]: unknown;
}

/** Creates a locator, which only describes elements. They are looked up when a method of the locator is called. */
export function createLocator(wire: Wire, page: number, chain: readonly Link[]): Locator {
  const methods: Record<string, Method> = {
    async all() {
      const count = Number(await wire.call('locator.count', [], page, chain));
      return Array.from({ length: count }, (_, index) => createLocator(wire, page, [...chain, ['nth', index]]));
    },
  };
  for (const name of MAKERS) {
    methods[name] = (...args) => createLocator(wire, page, [...chain, [name, ...args.map(encode)]]);
  }
  for (const name of ACTIONS) methods[name] = (...args) => wire.call(`locator.${name}`, args, page, chain);
  return Object.freeze({ ...methods, page, chain });
}

export function isLocator(value: unknown): value is Locator {
  return typeof value === 'object' && value !== null && 'chain' in value && 'page' in value;
}
