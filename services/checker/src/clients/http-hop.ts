import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { type Netguard, pinnedLookup } from '@tocsin/netguard';
import type { Target } from '../domain/error-words.ts';
import type { Phases } from '../domain/observation.ts';

const USER_AGENT = 'Tocsin/0.1 (uptime check)';

/** What a hop sends. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** One request of a check on a connection of its own. */
export interface Hop {
  readonly isTls: boolean;
  /** Filled in as the request proceeds. */
  readonly phases: Phases;
  readonly target: Target;
  /** Status and redirect target, when the headers are there. */
  readonly answer: Promise<{ statusCode: number; location: string | undefined }>;
  /** The body, piece by piece; ends with an error when the connection breaks. */
  body(): AsyncIterable<Buffer>;
  close(): void;
}

/** Resolves through the guard, dials what was vetted, and sends the request. */
export function startHop(guard: Netguard, request: HttpRequest, verifyTls: boolean, signal: AbortSignal): Hop {
  const { url } = request;
  const isTls = url.protocol === 'https:';
  const phases: Phases = {};
  const target = {
    host: url.hostname,
    port: Number(url.port || (isTls ? 443 : 80)),
    address: undefined as string | undefined,
  };
  let sent: ClientRequest | undefined;
  let response: IncomingMessage | undefined;

  async function send(): Promise<IncomingMessage> {
    let phaseBegan = performance.now();
    const endPhase = (phase: keyof Phases) => {
      const now = performance.now();
      phases[phase] = now - phaseBegan;
      phaseBegan = now;
    };
    const addresses = await aborting(guard.resolve(url.hostname), signal);
    target.address = addresses[0]?.address;
    endPhase('dns');
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method: request.method,
        headers: { 'user-agent': USER_AGENT, accept: '*/*', ...lowerCased(request.headers) },
        // A new connection each time: a check that reuses one would not see that nobody else can connect.
        agent: false,
        lookup: pinnedLookup(addresses),
        signal,
        ...(isTls && { rejectUnauthorized: verifyTls }),
      };
      sent = (isTls ? httpsRequest : httpRequest)(url, options);
      sent.once('socket', (socket: Socket) => {
        socket.once('connect', () => {
          target.address = socket.remoteAddress ?? target.address;
          endPhase('connect');
        });
        socket.once('secureConnect', () => endPhase('tls'));
      });
      sent.once('response', (incoming) => {
        endPhase('firstByte');
        response = incoming;
        resolve(incoming);
      });
      sent.once('error', reject);
      sent.end(request.body);
    });
  }

  const answered = send();
  return {
    isTls,
    phases,
    target,
    answer: answered.then((incoming) => ({
      statusCode: incoming.statusCode ?? 0,
      location: incoming.headers.location,
    })),
    async *body() {
      for await (const piece of await answered) yield piece;
    },
    close() {
      // A reset that follows our own end is nobody's fault.
      sent?.on('error', () => {});
      response?.on('error', () => {});
      sent?.destroy();
    },
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The promise's result, or the signal's reason if that comes first: a name server must not outlast the check. */
async function aborting<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
