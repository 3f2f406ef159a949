import stringWidth from 'string-width';

/**
 * Returns the text in one line. Replaces characters that control a terminal or the direction of text, because other
 * people may have chosen the text.
 */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�')
    .trim();
}

/** Returns the text cut to a width in columns, with an ellipsis if something was cut. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let result = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    result += segment;
  }
  return `${result}…`;
}

/** Returns the text filled with spaces to a width in columns. */
export function fill(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
