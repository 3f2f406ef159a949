import { MAX_HEADER_BYTES } from './http-stream.ts';
import { ParserInput } from './parser-input.ts';
import { ProtocolError } from './protocol-error.ts';
import { HeaderLines, mayBeHttp, type ResponseHead, statusIn } from './response-head.ts';

/** Functions that a parser calls: `onInterim` for each 1xx response, `onHead`, `onBody` for each piece, `onEnd`. */
export interface ResponseHandlers {
  /** May throw to end the parsing. */
  readonly onInterim: () => void;
  readonly onHead: (head: ResponseHead) => void;
  readonly onBody: (piece: Buffer) => void;
  readonly onEnd: () => void;
}

/** Yields when it needs more input. */
type Reading<Result> = Generator<undefined, Result, undefined>;

/** Maximum size of all chunk extensions of a response. */
const MAX_EXTENSION_BYTES = MAX_HEADER_BYTES;

/**
 * Bytes that a line, and each piece in which it arrives, counts in addition to its text. As in HTTP/2 (RFC 9113
 * §6.5.2), they bound the number of headers, because a thousand short headers cost more than a long one.
 */
const LINE_BYTES = 32;

/** Some servers pad the sizes of chunks with spaces. */
const CHUNK_SIZE = /^([\da-f]+)[\t ]*(;[\t\x20-\x7e\x80-\xff]*)?$/i;
/** Maximum number of digits of a chunk size that don't count as extensions. */
const CHUNK_DIGITS = 16;

/**
 * Parses one HTTP/1.1 response (RFC 9112) and nothing after it. Tolerates what browsers tolerate and what has only one
 * meaning, because a site that its users can read is up. See docs/decisions/0024-http-client-of-checks.md.
 */
export class ResponseParser {
  readonly #input = new ParserInput();
  readonly #reading: Reading<void>;

  /** @param isToHead Whether the request was a HEAD request, whose response has no body. */
  constructor(isToHead: boolean, handlers: ResponseHandlers) {
    this.#reading = readResponse(this.#input, isToHead, handlers);
  }

  /**
   * Parses the next bytes.
   * @throws ProtocolError if they break the rules of HTTP, or what `onInterim` throws.
   */
  add(chunk: Buffer): void {
    this.#input.add(chunk);
    this.#reading.next();
  }

  /** Ends the input. A response without a length is complete then. */
  close(): void {
    this.#input.isClosed = true;
    this.#reading.next();
  }
}

function* readResponse(input: ParserInput, isToHead: boolean, handlers: ResponseHandlers): Reading<void> {
  const allowance = forHeaders();
  let head = yield* readHead(input, allowance);
  while (isInterim(head)) {
    handlers.onInterim();
    head = yield* readHead(input, allowance);
  }
  handlers.onHead(head);
  if (hasBody(head, isToHead)) yield* readBody(input, head, handlers);
  handlers.onEnd();
}

function* readHead(input: ParserInput, allowance: Allowance): Reading<ResponseHead> {
  const statusCode = statusIn(yield* readStatusLine(input, allowance));
  const lines = yield* readHeaderLines(input, allowance);
  return lines.toHead(statusCode);
}

/** Reads the first line that is not empty, and fails as soon as the bytes can't be HTTP. */
function* readStatusLine(input: ParserInput, allowance: Allowance): Reading<string> {
  for (;;) {
    const line = yield* readLine(input, allowance, mustBeHttp);
    if (line !== '') return line;
  }
}

function mustBeHttp(text: string): void {
  if (!mayBeHttp(text)) throw new ProtocolError('HPE_INVALID_CONSTANT', 'Expected HTTP/');
}

function isInterim({ statusCode }: ResponseHead): boolean {
  return statusCode >= 100 && statusCode < 200 && statusCode !== 101;
}

/** Whether a body follows (RFC 9112 §6.3). After status 101, another protocol follows. */
function hasBody({ statusCode }: ResponseHead, isToHead: boolean): boolean {
  return !isToHead && statusCode !== 101 && statusCode !== 204 && statusCode !== 304;
}

function readBody(input: ParserInput, head: ResponseHead, handlers: ResponseHandlers): Reading<void> {
  const { contentLength, transferEncoding } = head;
  if (transferEncoding !== undefined) {
    const isChunked = /(?:^|,)[\t ]*chunked$/i.test(transferEncoding);
    return isChunked ? readChunks(input, handlers) : readUntilClose(input, handlers);
  }
  if (contentLength !== undefined) return readBytes(input, contentLength, handlers);
  return readUntilClose(input, handlers);
}

function* readBytes(input: ParserInput, length: number, { onBody }: ResponseHandlers): Reading<void> {
  for (let left = length; left > 0; ) {
    const piece = input.readBytes(left);
    if (piece) {
      left -= piece.length;
      onBody(piece);
    } else yield;
  }
}

function* readUntilClose(input: ParserInput, { onBody }: ResponseHandlers): Reading<void> {
  while (!input.isClosed) {
    const piece = input.readBytes(Number.MAX_SAFE_INTEGER);
    if (piece) onBody(piece);
    else yield;
  }
}

function* readChunks(input: ParserInput, handlers: ResponseHandlers): Reading<void> {
  const extensions: Allowance = { left: MAX_EXTENSION_BYTES, overflow: 'HPE_CHUNK_EXTENSIONS_OVERFLOW' };
  for (;;) {
    const line = yield* readLine(input, extensions);
    const digits = CHUNK_SIZE.exec(line)?.[1];
    if (digits === undefined) throw new ProtocolError('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size');
    // Only extensions count, because a body may have any number of chunks.
    extensions.left += Math.min(digits.length, CHUNK_DIGITS) + LINE_BYTES;
    const size = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(size)) throw new ProtocolError('HPE_INVALID_CHUNK_SIZE', 'Chunk size overflow');
    if (size === 0) break;
    yield* readBytes(input, size, handlers);
    if ((yield* readLine(input, extensions)) !== '') {
      throw new ProtocolError('HPE_STRICT', 'Expected a line end after chunk');
    }
    extensions.left += LINE_BYTES;
  }
  // The headers after the last chunk are validated and have no effect.
  yield* readHeaderLines(input, forHeaders());
}

/** Reads headers up to the empty line after them. */
function* readHeaderLines(input: ParserInput, allowance: Allowance): Reading<HeaderLines> {
  const lines = new HeaderLines();
  for (;;) {
    const line = yield* readLine(input, allowance);
    if (line === '') return lines;
    lines.add(line);
  }
}

/** Bytes that may still be read. */
interface Allowance {
  left: number;
  readonly overflow: 'HPE_HEADER_OVERFLOW' | 'HPE_CHUNK_EXTENSIONS_OVERFLOW';
}

function forHeaders(): Allowance {
  return { left: MAX_HEADER_BYTES, overflow: 'HPE_HEADER_OVERFLOW' };
}

/**
 * Reads a line, and returns it without its end, which is CRLF or LF (RFC 9112 §2.2). Calls `check` with its beginning
 * whenever more of it arrives.
 */
function* readLine(input: ParserInput, allowance: Allowance, check?: (text: string) => void): Reading<string> {
  for (;;) {
    const { text, isWhole } = input.readLine();
    check?.(text);
    if (text.length > allowance.left) throw new ProtocolError(allowance.overflow, 'Too many bytes');
    if (isWhole) {
      const line = text.endsWith('\r') ? text.slice(0, -1) : text;
      allowance.left -= line.length + LINE_BYTES;
      return line;
    }
    if (text !== '') allowance.left -= LINE_BYTES;
    yield;
  }
}
