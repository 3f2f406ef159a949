import type { ResponseHeaders } from './http-stream.ts';
import { ProtocolError } from './protocol-error.ts';

/** Status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: ResponseHeaders;
  /** Value of the content-length header. A transfer-encoding overrides it (RFC 9112 §6.3). */
  readonly contentLength: number | undefined;
  /** Value of the transfer-encoding header. */
  readonly transferEncoding: string | undefined;
}

type UsedField = 'content-encoding' | 'content-length' | 'location' | 'transfer-encoding';

const VERSION = /^HTTP\/(?:0\.9|1\.[01]|2\.0) /;
const STATUS = /^HTTP\/\d\.\d (\d{3})(.*)$/;
/**
 * A header, whose value has whitespace around it (RFC 9112 §5). Whitespace before the colon is ignored, as in browsers.
 * The parts must not match the same characters, because the time for a header that does not match would grow with the
 * square of its length.
 */
const FIELD = /^([\w!#$%&'*+\-.^`|~]+)[\t ]*:([\t\x20-\x7e\x80-\xff]*)$/;
const FIELD_NAME = /^([\w!#$%&'*+\-.^`|~]+)[\t ]*:/;
/** Maximum length of a header name in an error. */
const SHOWN_NAME = 60;
/** The next line of a value, which begins with whitespace (RFC 9112 §5.2). */
const FOLDED_VALUE = /^[\t ][\t\x20-\x7e\x80-\xff]*$/;

/** Whether the text is the beginning of an HTTP response, may become one, or is an empty line before it. */
export function mayBeHttp(text: string): boolean {
  return text.startsWith('HTTP/') || 'HTTP/'.startsWith(text) || text === '\r';
}

/**
 * Returns the status code of a status line.
 * @throws ProtocolError
 */
export function statusIn(line: string): number {
  if (!VERSION.test(line)) throw new ProtocolError('HPE_INVALID_VERSION', 'Invalid HTTP version');
  const [, code, rest = ''] = STATUS.exec(line) ?? [];
  if (!code) throw new ProtocolError('HPE_INVALID_STATUS', 'Invalid status code');
  if (rest && !rest.startsWith(' ')) throw new ProtocolError('HPE_INVALID_STATUS', 'Invalid response status');
  return Number(code);
}

/** Collects the headers of one response, line by line. */
export class HeaderLines {
  readonly #fields: Partial<Record<UsedField, string>> = {};
  /** The header to which a folded line belongs: undefined before the first one. */
  #last: UsedField | 'unused' | undefined;

  /** @throws ProtocolError */
  add(line: string): void {
    if (isWhitespace(line[0]) && this.#last !== undefined) this.#addFolded(line, this.#last);
    else this.#addField(line);
  }

  #addField(line: string): void {
    const [, name, padded] = FIELD.exec(line) ?? [];
    if (name === undefined || padded === undefined) throw wrongField(line);
    const key = name.toLowerCase();
    this.#last = 'unused';
    if (!isUsed(key)) return;
    const before = this.#fields[key];
    // As in browsers, only the first of several locations counts. The other headers are lists.
    if (before !== undefined && key === 'location') return;
    const value = withoutWhitespace(padded);
    this.#fields[key] = before === undefined ? value : `${before}, ${value}`;
    this.#last = key;
  }

  #addFolded(line: string, last: UsedField | 'unused'): void {
    // Clients disagree about a folded header that says where the body ends.
    if (last === 'content-length' || last === 'transfer-encoding') throw wrongHeader(`Folded ${last}`);
    if (!FOLDED_VALUE.test(line)) throw wrongHeader('Invalid character in a folded header');
    const value = withoutWhitespace(line);
    if (last === 'unused' || value === '') return;
    const before = this.#fields[last];
    this.#fields[last] = before ? `${before} ${value}` : value;
  }

  /** @throws ProtocolError */
  toHead(statusCode: number): ResponseHead {
    const { location, 'content-encoding': encoding, 'content-length': length } = this.#fields;
    return {
      statusCode,
      headers: { location, 'content-encoding': encoding },
      contentLength: length === undefined ? undefined : lengthIn(length),
      transferEncoding: this.#fields['transfer-encoding'],
    };
  }
}

function isUsed(name: string): name is UsedField {
  return (
    name === 'content-encoding' || name === 'content-length' || name === 'location' || name === 'transfer-encoding'
  );
}

/** Removes the spaces and tabs around a text. `trim()` would also remove other characters, such as 0xA0. */
function withoutWhitespace(text: string): string {
  let start = 0;
  let end = text.length;
  while (isWhitespace(text[start])) start += 1;
  while (end > start && isWhitespace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isWhitespace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Returns the length in a list of lengths, which must all be the same (RFC 9110 §8.6). */
function lengthIn(list: string): number {
  const [value = '', ...others] = list.split(',').map(withoutWhitespace);
  if (value === '') throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length');
  if (!/^\d+$/.test(value)) {
    throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
  }
  if (others.some((other) => other !== value)) {
    throw new ProtocolError('HPE_UNEXPECTED_CONTENT_LENGTH', 'Several different values of Content-Length');
  }
  if (!Number.isSafeInteger(Number(value))) {
    throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow');
  }
  return Number(value);
}

function wrongField(line: string): ProtocolError {
  const [, name] = FIELD_NAME.exec(line) ?? [];
  if (name === undefined) return wrongHeader('Header line without a valid name and a colon');
  return wrongHeader(`Invalid character in the value of header ${name.slice(0, SHOWN_NAME)}`);
}

function wrongHeader(reason: string): ProtocolError {
  return new ProtocolError('HPE_INVALID_HEADER_TOKEN', reason);
}
