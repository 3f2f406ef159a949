import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answering, type HostileTarget } from './target.ts';

const keyword = { expected_keyword: 'needle' };
const NOT_FOUND = 'keyword "needle" is not in the first part of the body that was searched';

function encoded(encoding: string, body: Buffer) {
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return answering(Buffer.concat([Buffer.from(head), body]), 'close', keyword);
}

const MEBIBYTE = 1024 * 1024;

/** Sends an encoded body of 3 MiB that repeats bytes without a meaning, and then waits. */
function endless(encoding: string, start: Buffer, repeated: Buffer) {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n\r\n`);
  return answering(Buffer.concat([head, start, Buffer.alloc(3 * MEBIBYTE, repeated)]), 'wait', keyword);
}

const GZIP_HEADER = Buffer.from('1f8b0800000000000003', 'hex');
const GZIP_HEADER_WITH_NAME = Buffer.from('1f8b0808000000000003', 'hex');
const EMPTY_BLOCK = Buffer.from('000000ffff', 'hex');
const ENDLESS: readonly [string, ReturnType<typeof answering>][] = [
  ['empty deflate blocks', endless('deflate', Buffer.alloc(0), EMPTY_BLOCK)],
  ['empty gzip blocks', endless('gzip', GZIP_HEADER, EMPTY_BLOCK)],
  ['empty gzip members', endless('gzip', Buffer.alloc(0), gzipSync(''))],
  ['the file name of a gzip body', endless('gzip', GZIP_HEADER_WITH_NAME, Buffer.from('a'))],
  ['empty brotli blocks', endless('br', Buffer.from('0c', 'hex'), Buffer.from('06', 'hex'))],
  ['empty zstd blocks', endless('zstd', Buffer.from('28b52ffd0050', 'hex'), Buffer.from('00', 'hex'))],
];

/** Bodies that are small until they are decompressed, one for each encoding. */
export function bombs(): readonly HostileTarget[] {
  const zeros = Buffer.alloc(64 * MEBIBYTE);
  const bodies = [
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { 1: 4 } })],
    ['zstd', zstdCompressSync(zeros)],
  ] as const;
  return bodies.map(([encoding, body]) => ({
    what: `sends a ${encoding} bomb`,
    start: encoded(encoding, body),
    outcome: 'fail',
    error: NOT_FOUND,
  }));
}

/** Bombs, bodies that decode to nothing, and bodies that can't be decoded. */
export function encodedTargets(): readonly HostileTarget[] {
  const damaged = gzipSync('hello needle');
  damaged.fill(0xff, 12, 20);
  return [
    ...bombs(),
    {
      what: 'sends a compression bomb inside another one',
      start: encoded('gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE)))),
      outcome: 'error',
      error: 'the body is encoded as "gzip, gzip", expected one of gzip, deflate, br, zstd',
    },
    {
      what: 'declares an unknown encoding',
      start: encoded('e'.repeat(300), Buffer.from('x')),
      outcome: 'error',
      error: `the body is encoded as "${'e'.repeat(60)}…", expected one of gzip, deflate, br, zstd`,
    },
    {
      what: 'sends a damaged gzip body',
      start: encoded('gzip', damaged),
      outcome: 'error',
      error: '{peer} sent a compressed body that is damaged',
    },
    {
      what: 'sends a gzip body that is cut off',
      start: encoded('gzip', gzipSync('hello needle').subarray(0, 20)),
      outcome: 'error',
      error: '{peer} sent a compressed body that ends too early',
    },
    {
      what: 'sends only one byte of a gzip body',
      start: encoded('gzip', gzipSync('hello needle').subarray(0, 1)),
      outcome: 'error',
      error: '{peer} sent a compressed body that ends too early',
    },
    {
      what: 'declares plain text as gzip',
      start: encoded('gzip', Buffer.from('needle')),
      outcome: 'error',
      error: '{peer} sent a compressed body that is damaged',
    },
    {
      what: 'declares plain text as brotli',
      start: encoded('br', Buffer.from('needle needle needle')),
      outcome: 'error',
      error: '{peer} sent a compressed body that is damaged',
    },
    {
      what: 'declares plain text as zstd',
      start: encoded('zstd', Buffer.from('needle needle needle')),
      outcome: 'error',
      error: '{peer} sent a compressed body that is damaged',
    },
    {
      what: 'declares the name of a property as encoding',
      start: encoded('constructor', Buffer.from('needle')),
      outcome: 'error',
      error: 'the body is encoded as "constructor", expected one of gzip, deflate, br, zstd',
    },
    ...ENDLESS.map(([what, start]) => ({
      what: `sends ${what} without end`,
      start,
      outcome: 'fail' as const,
      error: NOT_FOUND,
    })),
  ];
}
