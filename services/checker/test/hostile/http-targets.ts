import { answering, dripping, type HostileTarget, httpTarget, pouring } from './target.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const keyword = { expected_keyword: 'needle' };
const NOT_FOUND = 'keyword "needle" is not in the first part of the body that was searched';

/** Responses that are not HTTP or are cut off. */
export const BROKEN: readonly HostileTarget[] = [
  {
    what: 'speaks SSH',
    start: answering('SSH-2.0-OpenSSH_9.2\r\n'),
    outcome: 'error',
    error: '{peer} does not speak HTTP',
  },
  {
    what: 'responds with random bytes',
    start: answering(Buffer.alloc(5_000, 0xa7)),
    outcome: 'error',
    error: '{peer} does not speak HTTP',
  },
  {
    what: 'sends a page without status line and headers',
    start: answering('<html>hello</html>'),
    outcome: 'error',
    error: '{peer} does not speak HTTP',
  },
  {
    what: 'sends an HTTP version that does not exist',
    start: answering('HTTP/9.7 200 OK\r\n\r\n'),
    outcome: 'error',
    error: '{peer} does not speak HTTP',
  },
  {
    what: 'sends a status that is not a number',
    start: answering('HTTP/1.1 OKAY\r\n\r\n'),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Invalid status code)',
  },
  {
    what: 'sends status 999',
    start: answering('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'fail',
    error: 'status 999, expected 200 to 399',
  },
  {
    what: 'sends status 000',
    start: answering('HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n'),
    outcome: 'fail',
    error: 'status 0, expected 200 to 399',
  },
  {
    what: 'closes the connection at once',
    start: (fixture) => httpTarget(fixture, (socket) => socket.end()),
    outcome: 'error',
    error: 'connection closed by {peer} before it answered',
  },
  {
    what: 'resets the connection at once',
    start: (fixture) => httpTarget(fixture, (socket) => socket.once('data', () => socket.resetAndDestroy())),
    outcome: 'error',
    error: 'connection reset by {peer}',
  },
  {
    what: 'closes the connection during the status line',
    start: answering('HTTP/1.1 20'),
    outcome: 'error',
    error: 'connection closed by {peer} before it answered',
  },
  {
    what: 'closes the connection during the headers',
    start: answering(`${OK}server: x\r\n`),
    outcome: 'error',
    error: 'connection closed by {peer} before it answered',
  },
  {
    what: 'closes the connection during a body of known length',
    start: answering(`${OK}content-length: 100\r\n\r\nhalf`),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'closes the connection during a chunk',
    start: answering(`${CHUNKED}20\r\nhalf`),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'closes the connection before the last chunk',
    start: answering(`${CHUNKED}4\r\nhalf\r\n`),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'sends a header without a colon',
    start: answering(`${OK}nonsense\r\n\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Header line without a valid name and a colon)',
  },
  {
    what: 'sends a NUL in a header',
    start: answering(`${OK}x: a\0b\r\n\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Invalid character in the value of header x)',
  },
  {
    what: 'switches to a protocol that was not requested',
    start: answering('HTTP/1.1 101 Switching\r\nupgrade: evil\r\nconnection: upgrade\r\n\r\n'),
    outcome: 'fail',
    error: 'status 101, expected 200 to 399',
  },
];

/** Responses with a wrong length. */
export const LYING: readonly HostileTarget[] = [
  {
    what: 'declares a length beyond the range of numbers',
    start: answering(`${OK}content-length: ${'9'.repeat(30)}\r\n\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Content-Length overflow)',
  },
  {
    what: 'declares a negative length',
    start: answering(`${OK}content-length: -5\r\n\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Invalid character in Content-Length)',
  },
  {
    what: 'declares two lengths',
    start: answering(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Several different values of Content-Length)',
  },
  {
    what: 'declares a length and chunked encoding',
    start: answering(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'declares a chunk size beyond the range of numbers',
    start: answering(`${CHUNKED}${'F'.repeat(20)}\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Chunk size overflow)',
  },
  {
    what: 'declares a chunk size that is not a number',
    start: answering(`${CHUNKED}many\r\n`),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP (Invalid character in chunk size)',
  },
  {
    what: 'sends a body after HEAD',
    start: answering(`${OK}content-length: 5\r\n\r\nhello`, 'close', { method: 'HEAD' }),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'sends a body after 204',
    start: answering(`HTTP/1.1 204 No Content\r\n\r\nhello`),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'sends a second response',
    start: answering(`${OK}content-length: 0\r\n\r\nHTTP/1.1 500 No\r\n\r\n`),
    outcome: 'pass',
    error: '',
  },
];

/** Responses that never end. */
export const ENDLESS: readonly HostileTarget[] = [
  {
    what: 'sends endless headers',
    start: pouring(OK, `x-more: ${'y'.repeat(1_000)}\r\n`),
    outcome: 'error',
    error: '{peer} sent more than 64 KiB of headers',
  },
  {
    what: 'sends one endless header',
    start: pouring(`${OK}x-more: `, 'y'.repeat(10_000)),
    outcome: 'error',
    error: '{peer} sent more than 64 KiB of headers',
  },
  {
    what: 'sends an endless status line',
    start: pouring('HTTP/1.1 200 ', 'y'.repeat(10_000)),
    outcome: 'error',
    error: '{peer} sent more than 64 KiB of headers',
  },
  {
    what: 'sends ten thousand cookies',
    start: answering(`${OK}${'set-cookie: a=b\r\n'.repeat(10_000)}\r\n`),
    outcome: 'error',
    error: '{peer} sent more than 64 KiB of headers',
  },
  {
    what: 'sends a thousand cookies',
    start: answering(`${OK}${'set-cookie: a=b\r\n'.repeat(1_000)}content-length: 0\r\n\r\n`),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'sends endless interim responses',
    start: pouring('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    outcome: 'error',
    error: '{peer} sent more than 20 interim responses (1xx)',
  },
  {
    what: 'sends an endless body that is not searched',
    start: pouring(`${OK}\r\n`, 'x'.repeat(65_536)),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'sends an endless body that is searched',
    start: pouring(`${OK}\r\n`, 'x'.repeat(65_536), keyword),
    outcome: 'fail',
    error: NOT_FOUND,
  },
  {
    what: 'sends endless chunks of one byte',
    start: pouring(CHUNKED, '1\r\nx\r\n'.repeat(10_000), keyword),
    outcome: 'fail',
    error: NOT_FOUND,
  },
  {
    what: 'sends endless chunk extensions',
    start: pouring(`${CHUNKED}5;a=`, 'b'.repeat(10_000)),
    outcome: 'error',
    error: '{peer} sent too many chunk extensions',
  },
  {
    what: 'sends endless trailers',
    start: pouring(`${CHUNKED}0\r\n`, `x-more: ${'y'.repeat(1_000)}\r\n`),
    outcome: 'error',
    error: '{peer} sent more than 64 KiB of headers',
  },
  {
    what: 'sends nothing',
    start: (fixture) => httpTarget(fixture, () => {}),
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still waiting for the first byte',
  },
  {
    what: 'sends its headers slowly',
    start: dripping(OK, 'x: y\r\n'),
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still waiting for the first byte',
  },
  {
    what: 'sends its body slowly',
    start: dripping(`${OK}content-length: 1000000\r\n\r\n`, 'x'),
    outcome: 'timeout',
    error: 'no response within 1000 ms, still receiving the body',
  },
  {
    what: 'stops sending during the body',
    start: answering(`${OK}content-length: 1000000\r\n\r\nhalf`, 'wait'),
    outcome: 'timeout',
    error: 'no response within 1000 ms, still receiving the body',
  },
];
