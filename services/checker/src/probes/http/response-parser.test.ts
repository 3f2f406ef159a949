import { expect, test } from 'vitest';
import { ProtocolError } from './protocol-error.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';

interface Parsed {
  readonly head: Partial<ResponseHead>;
  readonly body: string;
  readonly interim: number;
  readonly isComplete: boolean;
}

/** Parses a response that arrives in the given chunks, after which the server closes the connection. */
function parse(chunks: readonly Buffer[], { isToHead = false, isClosed = true } = {}): Parsed {
  let head: Partial<ResponseHead> = {};
  let body = '';
  let interim = 0;
  let isComplete = false;
  const parser = new ResponseParser(isToHead, {
    onInterim() {
      interim += 1;
    },
    onHead(parsed) {
      head = parsed;
    },
    onBody(piece) {
      body += piece.toString('latin1');
    },
    onEnd() {
      isComplete = true;
    },
  });
  for (const chunk of chunks) parser.add(chunk);
  if (isClosed) parser.close();
  return { head, body, interim, isComplete };
}

function parseText(text: string, options?: Parameters<typeof parse>[1]): Parsed {
  return parse([Buffer.from(text, 'latin1')], options);
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

test('a response with a length ends after this length, and nothing after it is read', () => {
  const parsed = parseText(`${OK}Content-Length: 5\r\n\r\nhelloHTTP/1.1 500 No\r\n\r\n`, { isClosed: false });
  expect(parsed).toMatchObject({ head: { statusCode: 200 }, body: 'hello', isComplete: true });
});

test('a response without a length ends when the server closes the connection', () => {
  expect(parseText(`${OK}\r\nhello`, { isClosed: false })).toMatchObject({ body: 'hello', isComplete: false });
  expect(parseText(`${OK}\r\nhello`)).toMatchObject({ body: 'hello', isComplete: true });
});

test('the chunks of a body are joined, and its chunk extensions and trailers are dropped', () => {
  const chunks = '5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nx-trailer: 1\r\n\r\n';
  expect(parseText(CHUNKED + chunks, { isClosed: false })).toMatchObject({ body: 'hello world', isComplete: true });
});

test.each([
  ['a body of known length', `${OK}content-length: 10\r\n\r\nhello`],
  ['a chunk', `${CHUNKED}a\r\nhello`],
  ['the body before the last chunk', `${CHUNKED}5\r\nhello\r\n`],
  ['the trailers', `${CHUNKED}0\r\nx-trailer: 1\r\n`],
  ['the headers', `${OK}server: x\r\n`],
])('a response is incomplete if the server closes the connection during %s', (_part, text) => {
  expect(parseText(text).isComplete).toBe(false);
});

test.each([
  ['HEAD', 200, true],
  ['GET', 204, false],
  ['GET', 304, false],
  ['GET', 101, false],
])('a response to a %s request with status %i has no body', (_method, status, isToHead) => {
  const text = `HTTP/1.1 ${status} Odd\r\ncontent-length: 5\r\n\r\n`;
  expect(parseText(text, { isToHead, isClosed: false })).toMatchObject({
    head: { statusCode: status },
    isComplete: true,
  });
});

test('interim responses before the response are counted and dropped', () => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlocation: /no\r\n\r\n';
  expect(parseText(`${text}${OK}\r\n`)).toMatchObject({
    interim: 2,
    head: { statusCode: 200, headers: { location: undefined } },
  });
});

test('header names have any case, and whitespace around values is removed', () => {
  const text = `${OK}LOCATION: \t/a b \r\ncontent-Encoding:gzip\r\nContent-Encoding: br\r\nLocation: /second\r\n\r\n`;
  expect(parseText(text).head.headers).toEqual({ location: '/a b', 'content-encoding': 'gzip, br' });
});

test.each([
  ['lines that end with LF', 'HTTP/1.1 200 OK\nlocation: /a\ncontent-length: 5\n\nhello'],
  ['a value of two lines', `${OK}location:\r\n\t/a\r\nserver: x\r\n  y\r\ncontent-length: 5\r\n\r\nhello`],
  ['a space after a name', `${OK}location : /a\r\ncontent-length\t: 5\r\n\r\nhello`],
  ['the same length twice', `${OK}location: /a\r\ncontent-length: 5, 5\r\ncontent-length: 5\r\n\r\nhello`],
  [
    'a length beside chunks',
    `${OK}location: /a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ],
  ['padded sizes of chunks', `${OK}location: /a\r\ntransfer-encoding: chunked\r\n\r\n5  \r\nhello\r\n0 \r\n\r\n`],
  ['chunks that end with LF', `${OK}location: /a\r\ntransfer-encoding: chunked\r\n\r\n5\nhello\n0\n\n`],
])('a response with %s is read as in browsers', (_what, text) => {
  const parsed = parseText(text, { isClosed: false });
  expect(parsed).toMatchObject({ head: { headers: { location: '/a' } }, body: 'hello', isComplete: true });
});

test('headers in thousands of pieces exceed the allowance', () => {
  const head = Buffer.from(`${OK}server: ${'x'.repeat(10_000)}\r\n\r\n`);
  expect(parse([head]).isComplete).toBe(true);
  expect(() => parse(Array.from(head, (byte) => Buffer.of(byte)))).toThrow('Too many bytes');
});

test('a response has the same result however its bytes are split', () => {
  const text =
    '\r\nHTTP/1.1 103 Early\r\n\r\n' +
    `${OK}location: /\xe9\r\ntransfer-encoding: gzip, chunked\r\n\r\n` +
    '3;a="b"\r\nabc\r\n0b\r\nhello world\r\n0\r\nx: y\r\n\r\n';
  const bytes = Buffer.from(text, 'latin1');
  const whole = parse([bytes]);
  expect(whole).toMatchObject({ body: 'abchello world', interim: 1, isComplete: true });
  for (let at = 1; at < bytes.length; at += 1) {
    expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  }
  expect(parse(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
});

test.each([
  ['HPE_INVALID_CONSTANT', 'Expected HTTP/', 'SSH-2.0-OpenSSH\r\n'],
  ['HPE_INVALID_CONSTANT', 'Expected HTTP/', '<'],
  ['HPE_INVALID_VERSION', 'Invalid HTTP version', 'HTTP/3.0 200 OK\r\n'],
  ['HPE_INVALID_STATUS', 'Invalid status code', 'HTTP/1.1 20 OK\r\n'],
  ['HPE_INVALID_STATUS', 'Invalid response status', 'HTTP/1.1 2000 OK\r\n'],
  ['HPE_INVALID_HEADER_TOKEN', 'Header line without a valid name and a colon', `${OK}: x\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Invalid character in the value of header server', `${OK}server: a\rb\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Header line without a valid name and a colon', `${OK} folded: a\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Header line without a valid name and a colon', `${OK}server x: a\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Invalid character in a folded header', `${OK}server: a\r\n folded\0\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Invalid character in the value of header server', `${OK}server: a\x7f\r\n`],
  ['HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length', `${OK}content-length: 5\xa0\r\n\r\n`],
  ['HPE_INVALID_CONTENT_LENGTH', 'Empty Content-Length', `${OK}content-length: \r\n\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Folded content-length', `${OK}content-length: 1\r\n 1\r\n\r\n`],
  ['HPE_INVALID_HEADER_TOKEN', 'Folded transfer-encoding', `${OK}transfer-encoding: gzip,\r\n chunked\r\n\r\n`],
  ['HPE_INVALID_CONTENT_LENGTH', 'Invalid character in Content-Length', `${OK}content-length: 1 1\r\n\r\n`],
  ['HPE_INVALID_CONTENT_LENGTH', 'Content-Length overflow', `${OK}content-length: 9007199254740992\r\n\r\n`],
  [
    'HPE_UNEXPECTED_CONTENT_LENGTH',
    'Several different values of Content-Length',
    `${OK}content-length: 1\r\ncontent-length: 01\r\n\r\n`,
  ],
  ['HPE_INVALID_CHUNK_SIZE', 'Chunk size overflow', `${CHUNKED}20000000000000\r\n`],
  ['HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size', `${CHUNKED}-1\r\n`],
  ['HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size', `${CHUNKED}\r\n`],
  ['HPE_STRICT', 'Expected a line end after chunk', `${CHUNKED}1\r\nab\r\n`],
  ['HPE_HEADER_OVERFLOW', 'Too many bytes', `${OK}x: ${'y'.repeat(65_536)}`],
  ['HPE_HEADER_OVERFLOW', 'Too many bytes', '\r\n'.repeat(3_000)],
  ['HPE_HEADER_OVERFLOW', 'Too many bytes', `${OK}${'a:\r\n'.repeat(3_000)}\r\n`],
  ['HPE_HEADER_OVERFLOW', 'Too many bytes', `HTTP/1.1 103 Early\r\nx: ${'y'.repeat(33_000)}\r\n\r\n`.repeat(2)],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Too many bytes', `${CHUNKED}${`1${' '.repeat(9_000)}\r\na\r\n`.repeat(8)}`],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Too many bytes', `${CHUNKED}${`${'0'.repeat(9_000)}1\r\na\r\n`.repeat(8)}`],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'Too many bytes', `${CHUNKED}${`1;${'e'.repeat(9_000)}\r\na\r\n`.repeat(8)}`],
])('a response that breaks the rules of HTTP ends with %s (%s)', (code, reason, text) => {
  expect(() => parseText(text, { isClosed: false })).toThrow(expect.objectContaining({ code, reason }));
});

test('a body with many chunks does not use up the allowance for chunk extensions', () => {
  expect(parseText(`${CHUNKED}${'0001\r\na\r\n'.repeat(20_000)}0\r\n\r\n`)).toMatchObject({ isComplete: true });
});

test.each([
  ['a header of spaces that ends with a NUL', `${OK}x:${' '.repeat(65_000)}\0\r\n`],
  ['a header of tabs and spaces that ends with a NUL', `${OK}location:${'\t '.repeat(32_000)}\0\r\n`],
  ['a name without an end', `${OK}${'x'.repeat(65_000)}\r\n`],
  ['a chunk size of digits that ends with a letter', `${CHUNKED}${'a'.repeat(65_000)}g\r\n`],
  ['a value of spaces in a second line that ends with a NUL', `${OK}x:\r\n${' '.repeat(65_000)}\0\r\n`],
  ['a name before spaces that end with a NUL', `${OK}x${' '.repeat(65_000)}\0\r\n`],
  ['a padded chunk size that ends with a NUL', `${CHUNKED}1${' '.repeat(65_000)}\0\r\n`],
  ['a chunk extension of spaces that ends with a NUL', `${CHUNKED}1;${' '.repeat(65_000)}\0\r\n`],
  ['a reason of letters that ends with a CR', `HTTP/1.1 200 ${'y'.repeat(65_000)}\ry\r\n`],
])('a hundred responses with %s are refused within the time limit of a test', { timeout: 10_000 }, (_what, text) => {
  for (let i = 0; i < 100; i += 1) expect(() => parseText(text)).toThrow(ProtocolError);
});
