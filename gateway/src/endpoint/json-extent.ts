/** Maximum nesting depth of a body. `config` has a lower limit, which the monitor service checks. */
export const MAX_BODY_DEPTH = 64;

/** Maximum number of list items and fields in a body. A `config` of 128 KB can't reach it. */
export const MAX_BODY_VALUES = 100_000;

/**
 * Returns the reason why a JSON text in UTF-8 is too large to be parsed; undefined if it may be parsed. Call this
 * before decoding and parsing, because parsing takes time for each value, and several times as much memory as the text.
 * Stops at the first violation.
 */
export function problemOfExtent(json: Uint8Array): string | undefined {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json[index] ?? 0;
    if (code === QUOTE) index = endOfString(json, index);
    else if (code === COMMA) {
      values += 1;
      if (values >= MAX_BODY_VALUES) return `must have at most ${MAX_BODY_VALUES} list items and fields in all`;
    } else if (code >= OPEN_BRACKET) {
      // No other character between values has such a high code.
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth += 1;
        if (depth > MAX_BODY_DEPTH) return `must not be nested deeper than ${MAX_BODY_DEPTH} levels`;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    }
  }
  return undefined;
}

/** Returns the index of the closing quote of the string that begins at `start`, or an index after the text. */
function endOfString(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
