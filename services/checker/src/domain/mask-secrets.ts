import type { Secrets } from './fill-secrets.ts';

/** Length of the text that is searched for secrets, as a multiple of the maximum length of the result. */
const SEARCHED = 2;

interface Pattern {
  readonly name: string;
  /** Case-folded encoding of a secret's value. */
  readonly text: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Returns a function that replaces each secret's value in a text by its name, and shortens the text to `maxLength`
 * characters. A text contains a value when the target has sent the value back, for example in a redirect. Values are
 * found in any case, because host names are case-insensitive, and in the encodings of URLs, forms, JSON and HTML. The
 * text is shortened before the search, and the search takes linear time, so that no target can make the search slow. If
 * the end of the text cuts a value, the beginning of the value is replaced too.
 */
export function createMask(secrets: Secrets): (text: string, maxLength: number) => string {
  const patterns = [...secrets].flatMap(([name, value]) =>
    encodingsOf(value).map((text) => ({ name, text: fold(text) })),
  );
  return (text, maxLength) => {
    if (patterns.length === 0 || text === '') return text.slice(0, maxLength).toWellFormed();
    const searched = text.slice(0, maxLength * SEARCHED);
    const folded = fold(searched);
    const isCut = searched.length < text.length;
    const spans = patterns.flatMap((pattern) => findSpans(folded, pattern, isCut));
    return replaceSpans(searched, spans).slice(0, maxLength).toWellFormed();
  };
}

/** Returns the value and its encodings for URLs, forms, JSON and HTML. */
function encodingsOf(value: string): string[] {
  const form = new URLSearchParams({ '': value }).toString().slice(1);
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const json = JSON.stringify(value).slice(1, -1);
  const all = [value, encodeURIComponent(value), encodeURI(value), form, json, html, html.replaceAll('"', '&quot;')];
  return [...new Set(all)].filter((text) => text !== '');
}

/**
 * Converts to lower case without moving characters: a character whose lower case has a different length stays
 * unchanged.
 */
function fold(text: string): string {
  let folded = '';
  for (const character of text) {
    const lower = character.toUpperCase().toLowerCase();
    folded += lower.length === character.length ? lower : character;
  }
  return folded;
}

/**
 * Finds all occurrences of a pattern (Knuth–Morris–Pratt). With `isCut`, also finds a prefix of the pattern at the end
 * of the text.
 */
function findSpans(text: string, { name, text: pattern }: Pattern, isCut: boolean): Span[] {
  // If the pattern is longer than the text, only a prefix of it can match.
  const length = Math.min(pattern.length, text.length + 1);
  const borders = bordersOf(pattern, length);
  const spans: Span[] = [];
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    while (matched > 0 && (matched === pattern.length || pattern[matched] !== text[index])) {
      matched = borders[matched - 1] ?? 0;
    }
    if (pattern[matched] === text[index]) matched += 1;
    if (matched === pattern.length) spans.push({ start: index + 1 - matched, end: index + 1, name });
  }
  if (isCut && matched > 0) spans.push({ start: text.length - matched, end: text.length, name });
  return spans;
}

/** For each prefix of a pattern, returns the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: string, length: number): Uint32Array {
  const borders = new Uint32Array(length);
  let matched = 0;
  for (let index = 1; index < length; index += 1) {
    while (matched > 0 && pattern[matched] !== pattern[index]) matched = borders[matched - 1] ?? 0;
    if (pattern[matched] === pattern[index]) matched += 1;
    borders[index] = matched;
  }
  return borders;
}

/** Replaces spans by the name of their secret. Overlapping spans are replaced once, by the name of the longest. */
function replaceSpans(text: string, spans: readonly Span[]): string {
  let masked = '';
  let position = 0;
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (let index = 0; index < ordered.length; ) {
    let longest = ordered[index] as Span;
    const { start } = longest;
    let { end } = longest;
    for (index += 1; index < ordered.length; index += 1) {
      const next = ordered[index] as Span;
      if (next.start >= end) break;
      if (next.end - next.start > longest.end - longest.start) longest = next;
      end = Math.max(end, next.end);
    }
    masked += `${text.slice(position, start)}{{${longest.name}}}`;
    position = end;
  }
  return masked + text.slice(position);
}
