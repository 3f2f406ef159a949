import { type IncomingMessage, request as requestOfNode } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '@tocsin/runtime';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchangeHttp1 } from '../src/probes/http/http1-exchange.ts';

/** What a client has read: the status and the body, or that the response was unusable. */
type Seen = { readonly status: number; readonly body: string } | 'unusable';

const stack = new AsyncDisposableStack();
let port = 0;
let bytes = Buffer.alloc(0);

beforeAll(async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
});
afterAll(() => stack.disposeAsync());

/**
 * Reads with `node:http`, which also parses what follows the response, and destroys the response if that is not another
 * one. What it had read before that counts.
 */
async function readByNode(method: string, { isTolerant }: { isTolerant: boolean }): Promise<Seen> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = { agent: false, maxHeaderSize: 64 * 1024, insecureHTTPParser: isTolerant };
  const sent = requestOfNode({ host: '127.0.0.1', port, method, ...options });
  let received: IncomingMessage | undefined;
  let body = '';
  sent.once('response', (response) => {
    received = response.on('error', () => {});
    const push = response.push.bind(response);
    response.push = (piece: Buffer | null) => {
      body += piece?.toString('latin1') ?? '';
      return push(piece);
    };
    response.resume().once('close', resolve);
  });
  sent.on('error', () => resolve());
  sent.end();
  await promise;
  return received?.complete ? { status: received.statusCode ?? 0, body } : 'unusable';
}

async function readByProbe(method: string): Promise<Seen> {
  const url = new URL(`http://127.0.0.1:${port}/`);
  const socket: Socket = connect({ host: '127.0.0.1', port });
  const target = { host: '127.0.0.1', port, address: '127.0.0.1' };
  try {
    const response = await exchangeHttp1(socket, { url, method, headers: {}, body: undefined }, target);
    const body = Buffer.concat(await response.body.toArray()).toString('latin1');
    return { status: response.statusCode, body };
  } catch {
    return 'unusable';
  } finally {
    socket.destroy();
  }
}

const BEGINNING = 'HTTP/';

const text = fc.string({
  unit: fc.constantFrom('a', 'Z', '0', ' ', '\r\n', '\n', ':', ';', '\0', '\xe9'),
  maxLength: 20,
});
const statusLine = fc.constantFrom(
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200',
  'HTTP/1.1 404 ',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 500 \xe9\t',
  'HTTP/1.1 201 Created',
  'HTTP/2.0 200 OK',
  'HTTP/1.2 200 OK',
  'HTTP/1.1  200 OK',
  'http/1.1 200 OK',
);
const header = fc.constantFrom(
  'server: nginx',
  'x:',
  'x:\t a \t',
  'x-\xe9: 1',
  'x: \xe9',
  'x: a\0',
  'x: 1\r\n folded',
  'x: 1\n',
  'nonsense',
  'connection: keep-alive',
  'content-length: 3',
  'Content-Length:  3 ',
  'content-length: +3',
  'content-length: 0x3',
  'transfer-encoding: identity',
  'transfer-encoding: gzip, Chunked',
  'transfer-encoding: chunked',
);
const body = fc.oneof(
  fc.constant(''),
  text,
  fc.constant('3\r\nabc\r\n0\r\n\r\n'),
  fc.constant('3\r\nabc\r\n00\r\nx: y\r\n\r\nmore'),
  fc.constant('A\r\n0123456789\r\n0\r\nnonsense\r\n\r\n'),
  fc.constant('3\r\nabcd\r\n0\r\n\r\n'),
  fc.constant('3\nabc\r\n0\r\n\r\n'),
  fc.constant('3\r\nabc\r\n'),
);
const withExtensions = fc.constant('3;a="b c"\r\nabc\r\n0;d\r\n\r\n');

/** Headers with at most one length: node:http refuses a second one, even if it is the same. */
const headers = fc.uniqueArray(header, {
  maxLength: 3,
  comparator: (one, other) => [one, other].every((line) => line.toLowerCase().startsWith('content-length')),
});

function responseWith(bodies: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(statusLine, headers, bodies)
    .map(([first, lines, rest]) => `${[first, ...lines].join('\r\n')}\r\n\r\n${rest}`);
}

const intact = responseWith(fc.oneof(body, withExtensions));
/**
 * A response in which a character after the beginning is replaced, inserted or removed. It has no chunk extensions,
 * because the checker does not validate their contents.
 */
const damaged = fc
  .tuple(responseWith(body), fc.nat(), fc.constantFrom('', '\r', '\n', ' ', ':', '0', 'x', '\0', '\x7f'), fc.boolean())
  .map(([whole, at, character, isInserted]) => {
    const index = BEGINNING.length + (at % (whole.length - BEGINNING.length));
    return whole.slice(0, index) + character + whole.slice(isInserted ? index : index + 1);
  });

/**
 * What even tolerant `node:http` can't read: whitespace before a colon, and the end of a body if the last chunk and the
 * empty line after it both end with a bare LF.
 */
const UNREADABLE_BY_NODE = /[ \t]:|^0[^\r\n]*\n\n/m;

const interim = fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');

test('every response has the same status and body as with node:http, strict or tolerant', {
  timeout: 60_000,
}, async () => {
  let usable = 0;
  let tolerated = 0;
  let unusable = 0;
  const property = fc.asyncProperty(
    interim,
    fc.oneof(intact, damaged),
    fc.constantFrom('GET', 'HEAD'),
    async (before, raw, method) => {
      fc.pre(!UNREADABLE_BY_NODE.test(raw));
      bytes = Buffer.from(before + raw, 'latin1');
      const [strict, seen] = [await readByNode(method, { isTolerant: false }), await readByProbe(method)];
      if (strict !== 'unusable') {
        usable += 1;
        expect({ raw, seen }).toEqual({ raw, seen: strict });
      } else if (seen !== 'unusable') {
        tolerated += 1;
        expect({ raw, seen }).toEqual({ raw, seen: await readByNode(method, { isTolerant: true }) });
      } else unusable += 1;
    },
  );
  await fc.assert(property, { numRuns: 1_000 });
  expect(usable).toBeGreaterThan(100);
  expect(tolerated).toBeGreaterThan(20);
  expect(unusable).toBeGreaterThan(100);
});
