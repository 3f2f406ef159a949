/** Valid and invalid values for a field: both sides of each bound, and values of other types. */
export interface Field {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** Returns values for a single-line text. Its length is counted in characters, not in UTF-16 code units. */
export function line(min: number, max: number): Field {
  const good = ['x'.repeat(min), 'é'.repeat(max - 1), '😀'.repeat(max)];
  return { good, bad: [...tooShort(min), '😀'.repeat(max + 1), 'a\nb', ...unseen, ...notText] };
}

/** Returns values for a text that may be empty or have several lines. */
export function prose(max: number): Field {
  return { good: ['One\r\n\tTwo', '😀'.repeat(max)], bad: ['😀'.repeat(max + 1), ...unseen, ...notText] };
}

export function integer(min: number, max: number): Field {
  return { good: [min, min + 1, max], bad: [min - 1, max + 1, min + 0.5, String(min), 1e300, true, null, [], {}] };
}

export const flag: Field = { good: [true, false], bad: ['true', 0, 1, null, [], {}] };

export function word(...words: readonly string[]): Field {
  return { good: words, bad: ['', 'nonsense', words[0]?.toUpperCase(), ` ${words[0]}`, ...notText] };
}

/** Returns values for a text with a special format. Values of other types are invalid. */
export function text(good: readonly string[], bad: readonly string[]): Field {
  return { good, bad: [...bad, ...notText] };
}

/** Returns values for a field that may also be null. */
export function orNull({ good, bad }: Field): Field {
  return { good: [...good, null], bad: bad.filter((value) => value !== null) };
}

const unseen = ['a\u0000b', 'a\u001bb', 'a\u007fb', 'a\u0085b'];
const notText = [5, true, [], {}, null];

function tooShort(min: number): string[] {
  return min === 0 ? [] : ['x'.repeat(min - 1)];
}
