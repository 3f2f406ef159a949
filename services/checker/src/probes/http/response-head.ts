import type { ResponseHeaders } from './http-stream.ts';
import { ProtocolError } from './protocol-error.ts';

/** Status and headers of a response. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: ResponseHeaders;
  /** Value of the content-length header. */
  readonly contentLength: number | undefined;
  /** Value of the transfer-encoding header. */
  readonly transferEncoding: string | undefined;
}

type UsedField = 'content-encoding' | 'content-length' | 'location' | 'transfer-encoding';

const VERSION = /^HTTP\/(?:0\.9|1\.[01]|2\.0) /;
const STATUS = /^HTTP\/\d\.\d (\d{3})(.*)$/;
/**
 * A header, whose value has whitespace around it (RFC 9112 §5). The parts must not match the same characters, because
 * the time for a header that does not match would grow with the square of its length.
 */
const FIELD = /^([\w!#$%&'*+\-.^`|~]+):([\t\x20-\x7e\x80-\xff]*)$/;
const FIELD_NAME = /^[\w!#$%&'*+\-.^`|~]+:/;

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

  /** @throws ProtocolError */
  add(line: string): void {
    const [, name, padded] = FIELD.exec(line) ?? [];
    if (name === undefined || padded === undefined) throw wrongField(line);
    const key = name.toLowerCase();
    if (!isUsed(key)) return;
    const value = withoutWhitespace(padded);
    const before = this.#fields[key];
    if (before === undefined) {
      this.#fields[key] = value;
    } else if (key === 'content-length') {
      throw new ProtocolError('HPE_UNEXPECTED_CONTENT_LENGTH', 'Duplicate Content-Length');
    } else if (key !== 'location') {
      // As in browsers, only the first of several locations counts. The other headers are lists.
      this.#fields[key] = `${before}, ${value}`;
    }
  }

  /** @throws ProtocolError */
  toHead(statusCode: number): ResponseHead {
    const { location, 'content-encoding': encoding, 'content-length': length } = this.#fields;
    const transferEncoding = this.#fields['transfer-encoding'];
    if (length !== undefined && transferEncoding !== undefined) {
      const reason = "Transfer-Encoding can't be present with Content-Length";
      throw new ProtocolError('HPE_INVALID_TRANSFER_ENCODING', reason);
    }
    const headers = { location, 'content-encoding': encoding };
    return {
      statusCode,
      headers,
      contentLength: length === undefined ? undefined : lengthIn(length),
      transferEncoding,
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

function lengthIn(value: string): number {
  if (value === '') throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length');
  if (!/^\d+$/.test(value)) {
    throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length');
  }
  if (!Number.isSafeInteger(Number(value))) {
    throw new ProtocolError('HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow');
  }
  return Number(value);
}

function wrongField(line: string): ProtocolError {
  return FIELD_NAME.test(line)
    ? new ProtocolError('HPE_INVALID_HEADER_TOKEN', 'Invalid header value char')
    : new ProtocolError('HPE_INVALID_HEADER_TOKEN', 'Invalid header token');
}
