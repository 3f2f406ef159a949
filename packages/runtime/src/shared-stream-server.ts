import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { ContextValues } from '@connectrpc/connect';
import { encodeFrame, FrameReader, FrameWriter } from './call-frames.ts';
import { fromAddress } from './peer-address.ts';
import type { UnaryHead, UnaryMethods } from './unary-methods.ts';

/** Path of the request that opens a shared stream. It is not a method of a service. */
export const SHARED_STREAM_PATH = '/tocsin.calls';
export const SHARED_STREAM_TYPE = 'application/vnd.tocsin.calls';

/**
 * Maximum size of a request body on a shared stream, in bytes. It is small, because a body arrives before its token is
 * checked.
 */
export const MAX_SHARED_REQUEST_BYTES = 16 * 1024;

/** Maximum size of a frame from a client, in bytes: a body, and headers as in a request of HTTP/2. */
const MAX_FRAME_BYTES = MAX_SHARED_REQUEST_BYTES + 64 * 1024;

/** No calls are read while a client has not read more than this of its responses, in bytes. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Head of a frame to the server. Without a path, it cancels the call with this id. */
export interface CallHead {
  /** Greater than in each previous call of the stream. */
  readonly id: number;
  readonly path?: string;
  readonly headers?: unknown;
}

/** Head of a frame to the client. Without a status, the server has not accepted the call, because it stops. */
export interface AnswerHead {
  readonly id: number;
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
}

export interface SharedStreamOptions {
  readonly methods: UnaryMethods;
  /** Address of the client. */
  readonly address: string;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** Whether a request asks for a shared stream. */
export function asksForSharedStream(headers: IncomingHttpHeaders): boolean {
  return headers[':path'] === SHARED_STREAM_PATH && headers['content-type'] === SHARED_STREAM_TYPE;
}

/** Serves the unary calls that a client sends over one stream. */
export function serveSharedStream(
  stream: ServerHttp2Stream,
  { methods, address, stopping }: SharedStreamOptions,
): void {
  const running = new Map<number, RunningCall>();
  let lastId = 0;
  let hasEnded = false;

  const writer = new FrameWriter(stream);
  const endIfDone = () => {
    if (hasEnded && running.size === 0) writer.end();
  };

  async function serve(id: number, path: string, call: RunningCall, body: Uint8Array): Promise<void> {
    running.set(id, call);
    const answer = (await methods.find(path)?.answer(call, async () => body)) ?? NO_METHOD;
    // The client has canceled the call, or the connection is lost.
    if (!running.delete(id)) return;
    writer.push(encodeFrame({ id, status: answer.status, headers: answer.headers }, answer.body));
    endIfDone();
  }

  function cancel(id: number): void {
    running.get(id)?.cancel();
    running.delete(id);
    endIfDone();
  }

  const reader = new FrameReader(MAX_FRAME_BYTES, (head, body) => {
    if (!isCallHead(head)) throw new TypeError('the head of a frame is not valid');
    const { id, path, headers } = head;
    if (path === undefined) return cancel(id);
    if (id <= lastId) throw new TypeError('the id of a call is not greater than the last one');
    lastId = id;
    if (stopping.aborted) writer.push(encodeFrame({ id }));
    else if (!areHeaders(headers)) writer.push(encodeFrame({ id, status: 400 }));
    else void serve(id, path, new RunningCall(headers, address), body);
  });

  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
      if (stream.writableLength > MAX_UNSENT_BYTES) stream.pause();
    } catch {
      stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
    }
  });
  stream.on('drain', () => stream.resume());
  stream.on('end', () => {
    hasEnded = true;
    endIfDone();
  });
  stream.on('close', () => {
    for (const call of running.values()) call.cancel();
    running.clear();
  });
  stream.respond({ ':status': 200, 'content-type': SHARED_STREAM_TYPE });
}

const NO_METHOD = { status: 404, headers: {}, body: new Uint8Array() };

class RunningCall implements UnaryHead {
  readonly headers: IncomingHttpHeaders;
  readonly values: ContextValues;
  #isCanceled = false;
  #cancels: (() => void)[] | undefined;

  constructor(headers: IncomingHttpHeaders, address: string) {
    this.headers = headers;
    this.values = fromAddress(address);
  }

  get timeoutMs(): number | undefined {
    const timeout = this.headers['connect-timeout-ms'];
    return timeout === undefined ? undefined : Number(timeout);
  }

  onCancel(cancel: () => void): void {
    this.#cancels ??= [];
    this.#cancels.push(cancel);
    if (this.#isCanceled) cancel();
  }

  cancel(): void {
    this.#isCanceled = true;
    for (const cancel of this.#cancels ?? []) cancel();
  }
}

function isCallHead(head: unknown): head is CallHead {
  if (typeof head !== 'object' || head === null) return false;
  const { id, path } = head as Readonly<Record<string, unknown>>;
  return Number.isSafeInteger(id) && (path === undefined || typeof path === 'string');
}

function areHeaders(headers: unknown): headers is Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return false;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[a-z0-9-]+$/.test(name) || typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) return false;
  }
  const timeout: unknown = 'connect-timeout-ms' in headers ? headers['connect-timeout-ms'] : '0';
  return /^\d{1,10}$/.test(String(timeout));
}
