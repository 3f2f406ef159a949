import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Target } from '@tocsin/netguard';
import { type HttpRequest, lengthOf } from './http-request.ts';
import { connectionLost, type HttpStream, MAX_INTERIM, tooManyInterim } from './http-stream.ts';
import { ResponseParser } from './response-parser.ts';

/** Sends a request on a new connection and waits for the headers of the response. */
export function exchangeHttp1(socket: Socket, request: HttpRequest, target: Target): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const body = new Readable({ read: () => void socket.resume() }).once('error', reject);
    let interim = 0;
    let hasHead = false;
    let isComplete = false;
    const parser = new ResponseParser(request.method === 'HEAD', {
      onInterim() {
        interim += 1;
        if (interim > MAX_INTERIM) throw tooManyInterim(target);
      },
      onHead({ statusCode, headers }) {
        hasHead = true;
        resolve({ statusCode, headers, body, broken: () => undefined });
      },
      onBody(piece) {
        if (!body.push(piece)) socket.pause();
      },
      onEnd() {
        isComplete = true;
        body.push(null);
      },
    });
    const fail = (reason: () => Error) => {
      if (!isComplete) body.destroy(reason());
    };
    const parse = (step: () => void) => {
      try {
        step();
      } catch (error) {
        fail(() => error as Error);
      }
    };
    socket.on('data', (chunk) => parse(() => parser.add(chunk)));
    socket.once('end', () => {
      parse(() => parser.close());
      fail(hasHead ? connectionLost : closedBeforeHead);
    });
    socket.once('error', (error) => fail(() => error));
    socket.once('close', () => fail(connectionLost));
    send(socket, request);
  });
}

/** @throws Error if a header contains characters that no header may contain. */
function send(socket: Socket, request: HttpRequest): void {
  const { url, method, headers, body } = request;
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries({ host: url.host, ...headers, ...lengthOf(request) })) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  if (headers.connection === undefined) head += 'connection: close\r\n';
  head += '\r\n';
  if (body === undefined) {
    socket.write(head, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body);
  socket.uncork();
}

/** Returns the error that Node.js reports if a server closes the connection without a response. */
function closedBeforeHead(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
