import { AsyncResource } from 'node:async_hooks';
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport, type UnaryResponse } from '@connectrpc/connect';
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponseWithCompression,
} from '@connectrpc/connect/protocol-connect';
import type { Http2SessionManager } from '@connectrpc/connect-node';
import { releaseWhenClosed } from './release-when-closed.ts';
import { toHeaders, type UnaryAnswer } from './unary-methods.ts';

/** A call in Connect's protocol. */
export interface UnaryCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Receives the end of a call. Only the first one counts. */
export interface UnaryOutcome {
  answered(answer: UnaryAnswer): void;
  failed(reason: unknown): void;
  /** Whether the call has ended. */
  hasEnded(): boolean;
}

/** Sends a call, and returns a function that cancels it. */
export type SendUnary = (request: UnaryCall, outcome: UnaryOutcome) => () => void;

export interface UnaryTransportOptions {
  readonly send: SendUnary;
  /** Default timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends unary calls with Connect's protocol and binary messages. Does the same as the transport of
 * `@connectrpc/connect-node`, for half of the processor time: it reads a body without iterators, and creates abort
 * signals and errors only for calls that fail.
 */
export class UnaryTransport implements Transport {
  readonly #send: SendUnary;
  readonly #timeoutMs: number;

  constructor({ send, timeoutMs }: UnaryTransportOptions) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  unary: Transport['unary'] = async (method, signal, timeoutMs = this.#timeoutMs, header, input) => {
    const body = toBinary(method.input, create(method.input, input));
    const request = {
      path: `/${method.parent.typeName}/${method.name}`,
      headers: {
        ...(header !== undefined && plainHeaders(header)),
        'content-type': contentTypeUnaryProto,
        'content-length': String(body.length),
        'connect-protocol-version': protocolVersion,
        ...(timeoutMs > 0 && { 'connect-timeout-ms': String(timeoutMs) }),
      },
      body,
    };
    return toResponse(method, await this.#complete(request, timeoutMs, signal));
  };

  stream: Transport['stream'] = async () => {
    throw new ConnectError('this transport supports only unary calls', Code.Unimplemented);
  };

  /**
   * Sends a request and returns the complete response.
   * @throws ConnectError if the deadline passes, the signal aborts or the connection fails.
   */
  #complete(request: UnaryCall, timeoutMs: number, signal: AbortSignal | undefined): Promise<UnaryAnswer> {
    return new Promise((resolve, reject) => {
      let isSettled = false;
      let cancel: (() => void) | undefined;
      const timer = timeoutMs > 0 ? setTimeout(() => failed(timedOut()), timeoutMs) : undefined;
      const onAbort = () => failed(ConnectError.from(signal?.reason, Code.Canceled));

      function settle(): boolean {
        if (isSettled) return false;
        isSettled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        return true;
      }
      function failed(reason: unknown): void {
        if (!settle()) return;
        reject(asConnectError(reason));
        cancel?.();
      }
      const answered = (answer: UnaryAnswer) => {
        if (settle()) resolve(answer);
      };

      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) return onAbort();
      cancel = this.#send(request, { answered, failed, hasEnded: () => isSettled });
    });
  }
}

/**
 * Asynchronous context of the streams. A stream remains in memory for longer than its call, so it must not refer to the
 * context of the call.
 */
const noCall = new AsyncResource('UnaryTransport');

/** Sends calls over the HTTP/2 connections of a client. */
export function overHttp2(sessions: Pick<Http2SessionManager, 'request'>): SendUnary {
  return ({ path, headers, body }, outcome) => {
    let opened: ClientHttp2Stream | undefined;
    const cancel = () => opened?.close(constants.NGHTTP2_CANCEL);
    const opening = noCall.runInAsyncScope(() => sessions.request('POST', path, headers, {}));
    opening.then((stream) => {
      opened = stream;
      releaseWhenClosed(stream);
      stream.on('error', (error) => {
        // The server has responded without reading the whole body.
        if (!(codeOf(error) === 'ERR_STREAM_WRITE_AFTER_END' && stream.writableEnded)) outcome.failed(error);
      });
      if (outcome.hasEnded()) return cancel();
      let received: IncomingHttpHeaders & { ':status'?: number } = {};
      const chunks: Buffer[] = [];
      stream.on('response', (responded) => {
        received = responded;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // A stream that is reset ends, too.
        const { ':status': status } = received;
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR || status === undefined) return;
        outcome.answered({ status, headers: received, body: joined(chunks) });
      });
      stream.on('close', () => {
        // Creating an error is expensive, and each stream closes.
        if (!outcome.hasEnded()) outcome.failed(closedEarly(stream.rstCode));
      });
      stream.end(body);
    }, outcome.failed);
    return cancel;
  };
}

/** Returns headers as an object. Does not copy an object, because most calls pass one. */
function plainHeaders(
  headers: NonNullable<ConstructorParameters<typeof Headers>[0]>,
): Readonly<Record<string, string>> {
  return Symbol.iterator in headers ? Object.fromEntries(new Headers(headers)) : (headers as Record<string, string>);
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/**
 * Converts a received response.
 * @throws ConnectError if the response is an error or is not a binary message.
 */
function toResponse<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  received: UnaryAnswer,
): UnaryResponse<Input, Output> {
  const { status, headers, body } = received;
  const isMessage = status === 200 && headers['content-type'] === contentTypeUnaryProto;
  if (!isMessage || headers['content-encoding'] !== undefined) throw errorOf(received);
  return new Received(method, parse(method, body), headers);
}

/** Converts the metadata only for callers that read it, because that costs more than parsing a small message. */
class Received<Input extends DescMessage, Output extends DescMessage> implements UnaryResponse<Input, Output> {
  readonly stream = false;
  readonly method: DescMethodUnary<Input, Output>;
  readonly message: MessageShape<Output>;
  readonly #headers: IncomingHttpHeaders;

  constructor(method: DescMethodUnary<Input, Output>, message: MessageShape<Output>, headers: IncomingHttpHeaders) {
    this.method = method;
    this.message = message;
    this.#headers = headers;
  }

  get service() {
    return this.method.parent;
  }

  get header(): Headers {
    return metadataOf(this.#headers)[0];
  }

  get trailer(): Headers {
    return metadataOf(this.#headers)[1];
  }
}

function parse<Output extends DescMessage>({ output }: DescMethodUnary<DescMessage, Output>, body: Uint8Array) {
  try {
    return fromBinary(output, body);
  } catch (error) {
    throw ConnectError.from(error, Code.Internal);
  }
}

/** Returns the error in a response, or the error that the response can't be used. */
function errorOf({ status, headers, body }: UnaryAnswer): unknown {
  const [header, trailer] = metadataOf(headers);
  try {
    const { unaryError } = validateResponseWithCompression('unary', [], true, status, header);
    if (!unaryError) return new ConnectError('the response can not be used', Code.Internal, header);
    for (const [name, value] of trailer) header.append(name, value);
    return errorFromJsonBytes(body, header, unaryError);
  } catch (error) {
    return error;
  }
}

/** Returns the headers of a response, and its trailers, which are sent as headers with a prefix. */
function metadataOf(received: IncomingHttpHeaders): [header: Headers, trailer: Headers] {
  return trailerDemux(toHeaders(received));
}

function timedOut(): ConnectError {
  return new ConnectError('the operation timed out', Code.DeadlineExceeded);
}

/** Returns the error for a stream that was closed before its response was complete. */
export function closedEarly(resetCode: number | undefined): ConnectError {
  return resetCode === constants.NGHTTP2_CANCEL
    ? new ConnectError('the server canceled the call', Code.Canceled)
    : new ConnectError('the connection closed before the response was complete', Code.Aborted);
}

/** Codes of the RPC status for errors of Node.js, by error code. Other errors are internal. */
const CODES = new Map<string, Code>([
  ['ETIMEDOUT', Code.Unavailable],
  ['ENOTFOUND', Code.Unavailable],
  ['EAI_AGAIN', Code.Unavailable],
  ['ECONNREFUSED', Code.Unavailable],
  ['ECONNRESET', Code.Aborted],
  ['EPIPE', Code.Aborted],
  ['ERR_STREAM_DESTROYED', Code.Aborted],
  ['ERR_HTTP2_INVALID_STREAM', Code.Aborted],
]);

/** Returns an RPC status whose cause is the error, unless the error or one of its causes is a status. */
function asConnectError(reason: unknown): ConnectError {
  for (let error = reason; error instanceof Error; error = error.cause) {
    if (error instanceof ConnectError) return error;
    const code = CODES.get(codeOf(error) ?? '');
    if (code !== undefined) return new ConnectError(messageOf(reason), code, undefined, undefined, reason);
  }
  return new ConnectError(messageOf(reason), Code.Internal, undefined, undefined, reason);
}

function codeOf(error: Error): string | undefined {
  return 'code' in error ? String(error.code) : undefined;
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
