import { randomBytes } from 'node:crypto';
import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { selfSigned } from '@tocsin/testing/certificates';
import type { Fixture, HostileTarget, Started } from './target.ts';
import { afterHandshake, ignoringCertificate } from './tls-targets.ts';

/** Returns a real HTTP/2 server that calls a handler for each stream. */
function http2(onStream: (stream: ServerHttp2Stream, session: Http2Session) => void, config: object = {}) {
  return async (fixture: Fixture): Promise<Started> => {
    const issued = await selfSigned(['127.0.0.1']);
    const server = createSecureServer({ key: issued.key, cert: issued.cert, maxSendHeaderBlockLength: 10_000_000 });
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {});
      if (stream.session) onStream(stream, stream.session);
    });
    const port = await fixture.listen(server);
    return { type: 'http', port, config: { url: `https://127.0.0.1:${port}/`, ...ignoringCertificate, ...config } };
  };
}

/** Returns an HTTP/2 frame (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));

const SETTINGS_ACK = frame(4, 1, 0, Buffer.alloc(0));

/** Header block with status 200, as an index of the static table (RFC 7541 §A). */
const HEAD = frame(1, 4, 1, Buffer.from([0x88]));

/** Header block with status 200 and `content-encoding: gzip`. */
const ZIPPED_HEAD = frame(1, 4, 1, Buffer.concat([Buffer.from([0x88, 0x0f, 0x0b, 4]), Buffer.from('gzip')]));

const WINDOW_UPDATE = frame(8, 0, 0, Buffer.from([0, 0, 0, 1]));

/** Body of an ORIGIN frame with different origins (RFC 8336 §2). */
function originsOf(count: number): Buffer {
  const origins = Array.from({ length: count }, (_, n) => Buffer.from(`\0\x05h${String(n).padStart(4, '0')}`));
  return Buffer.concat(origins);
}

const HALF = frame(0, 0, 1, Buffer.from('half'));

/** Splits a part of a body into frames of at most 16 KiB, the frame size that every client accepts. */
function dataFrames(body: Buffer): Buffer[] {
  const count = Math.ceil(body.length / 16_384);
  return Array.from({ length: count }, (_, n) => frame(0, 0, 1, body.subarray(n * 16_384, (n + 1) * 16_384)));
}

function reset(code: number): Buffer {
  return frame(3, 0, 1, Buffer.from([0, 0, 0, code]));
}

const PREFACE_LENGTH = 24;

function hasHeaders(received: Buffer): boolean {
  for (let at = PREFACE_LENGTH; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    if (received[at + 3] === 1) return true;
  }
  return false;
}

/** Responds to the first request with exactly these frames. */
function answeringFrames(frames: readonly Buffer[], then: 'close' | 'wait' = 'wait', config: object = {}) {
  const onSecure = (socket: Socket) => {
    let received: Buffer = Buffer.alloc(0);
    const take = (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (!hasHeaders(received)) return;
      socket.off('data', take);
      const bytes = Buffer.concat([SETTINGS_ACK, ...frames]);
      if (then === 'close') socket.end(bytes);
      else socket.write(bytes);
    };
    socket.write(SETTINGS);
    socket.on('data', take);
  };
  return afterHandshake('h2', onSecure, config);
}

/**
 * Sends the frames repeatedly until the check closes the connection. Each write contains 50,000 copies, which is more
 * than a check can process in one read.
 */
function pouringFrames(...again: Buffer[]) {
  const bytes = Buffer.concat(Array.from({ length: 50_000 }, () => again).flat());
  return afterHandshake('h2', (socket) => {
    socket.write(SETTINGS);
    const pour = () => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', pour).once('data', pour);
  });
}

/** Targets that misbehave over HTTP/2. */
export const HTTP2: readonly HostileTarget[] = [
  {
    what: 'negotiates HTTP/2 and closes the connection',
    start: afterHandshake('h2', (socket) => socket.end()),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'negotiates HTTP/2 and speaks HTTP/1.1',
    start: afterHandshake('h2', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP/2',
  },
  {
    what: 'negotiates HTTP/2 and sends nothing',
    start: afterHandshake('h2', () => {}),
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still waiting for the first byte',
  },
  {
    what: 'speaks only a protocol that the checker does not',
    start: afterHandshake('spdy/1', () => {}),
    outcome: 'error',
    error: '{peer} speaks neither HTTP/1.1 nor HTTP/2',
  },
  {
    what: 'resets the HTTP/2 stream',
    start: http2((stream) => stream.close(2)),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'rejects the HTTP/2 stream',
    start: http2((stream) => stream.close(7)),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'sends GOAWAY at once over HTTP/2',
    start: http2((_, session) => session.goaway(11)),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 connection',
  },
  {
    what: 'resets the stream during the HTTP/2 body',
    start: answeringFrames([HEAD, HALF, reset(2)]),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'resets the stream during a compressed HTTP/2 body',
    start: answeringFrames([ZIPPED_HEAD, frame(0, 0, 1, gzipSync('needle')), reset(2)], 'wait', {
      unexpected_keyword: 'other',
    }),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'sends GOAWAY during the HTTP/2 body',
    start: answeringFrames([HEAD, HALF, frame(7, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]))]),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 connection',
  },
  {
    what: 'closes the connection during the HTTP/2 body',
    start: answeringFrames([HEAD, HALF], 'close'),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'closes the connection during a compressed HTTP/2 body',
    start: answeringFrames([ZIPPED_HEAD, frame(0, 0, 1, gzipSync('needle'))], 'close', { unexpected_keyword: 'other' }),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'closes the connection while a compressed HTTP/2 body is being decompressed',
    start: answeringFrames([ZIPPED_HEAD, ...dataFrames(gzipSync(randomBytes(60_000)))], 'close', {
      expected_keyword: 'needle',
    }),
    outcome: 'error',
    error: 'connection closed by {peer} in the middle of the response',
  },
  {
    what: 'closes the connection directly after the HTTP/2 body',
    start: answeringFrames([HEAD, frame(0, 1, 1, Buffer.from('whole'))], 'close'),
    outcome: 'pass',
    error: '',
  },
  {
    what: 'sends too many HTTP/2 headers',
    start: http2((stream) =>
      stream.respond({
        ':status': 200,
        ...Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y'.repeat(50)])),
      }),
    ),
    outcome: 'error',
    error: '{peer} broke off the HTTP/2 response',
  },
  {
    what: 'sends endless interim responses over HTTP/2',
    start: http2((stream) => {
      for (let n = 0; n < 100; n += 1) stream.additionalHeaders({ ':status': 103 });
    }),
    outcome: 'error',
    error: '{peer} sent more than 20 interim responses (1xx)',
  },
  {
    what: 'sends endless HTTP/2 pings',
    start: pouringFrames(frame(6, 0, 0, Buffer.alloc(8))),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP/2',
  },
  {
    what: 'sends endless HTTP/2 settings',
    start: pouringFrames(SETTINGS),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP/2',
  },
  {
    what: 'sends endless CONTINUATION frames',
    start: pouringFrames(frame(1, 0, 1, Buffer.from([0x88])), frame(9, 0, 1, Buffer.alloc(10, 0x82))),
    outcome: 'error',
    error: '{peer} broke the rules of HTTP/2',
  },
  {
    what: 'sends endless window updates over HTTP/2',
    start: pouringFrames(WINDOW_UPDATE),
    outcome: 'error',
    error: '{peer} sent more than 4 MiB, but no complete response',
  },
  {
    what: 'sends endless empty frames of an HTTP/2 body',
    start: answeringFrames([HEAD, ...Array.from({ length: 50_000 }, () => frame(0, 0, 1, Buffer.alloc(0)))]),
    outcome: 'error',
    error: '{peer} sent too many invalid HTTP/2 frames',
  },
  {
    what: 'sends too many origins over HTTP/2',
    start: answeringFrames([frame(12, 0, 0, originsOf(2_000))]),
    outcome: 'error',
    error: '{peer} sent too many origins over HTTP/2',
  },
  {
    what: 'sends an endless HTTP/2 body',
    start: http2(
      (stream) => {
        stream.respond({ ':status': 200 });
        const pour = () => {
          while (!stream.destroyed && stream.write('x'.repeat(65_536)));
        };
        stream.on('drain', pour);
        pour();
      },
      { expected_keyword: 'needle' },
    ),
    outcome: 'fail',
    error: 'keyword "needle" is not in the first part of the body that was searched',
  },
];
