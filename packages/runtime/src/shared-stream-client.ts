import { AsyncResource } from 'node:async_hooks';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Http2SessionManager } from '@connectrpc/connect-node';
import { encodeFrame, FrameReader, FrameWriter } from './call-frames.ts';
import {
  type AnswerHead,
  MAX_SHARED_REQUEST_BYTES,
  SHARED_STREAM_PATH,
  SHARED_STREAM_TYPE,
} from './shared-stream-server.ts';
import { closedEarly, type SendUnary, type UnaryCall, type UnaryOutcome } from './unary-transport.ts';

/** A shared stream is opened when there are more calls than this within a second. */
const BUSY_CALLS = 10;

/** A shared stream ends when there was no call for this time, in milliseconds. */
const IDLE_MS = 2_000;

/** Time until a server that has refused a shared stream is asked again, in milliseconds. */
const REFUSED_MS = 60_000;

/** Calls take streams of their own while the shared stream has more unsent data than this, in bytes. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Maximum size of a response with its headers, in bytes. Responses are far smaller. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

type Sessions = Pick<Http2SessionManager, 'request'>;

/**
 * Sends calls over one stream of an HTTP/2 connection, because a stream for each call costs more than twice as much
 * processor time, and memory that only full garbage collections free. Large requests, the first calls and calls to
 * servers that know no shared streams are sent with `separately`.
 */
export function overSharedStream(sessions: Sessions, separately: SendUnary): SendUnary {
  const streams = new SharedStreams(sessions);
  return (call, outcome) => {
    const stream = call.body.length > MAX_SHARED_REQUEST_BYTES ? undefined : streams.next();
    return stream ? stream.send(call, outcome) : separately(call, outcome);
  };
}

/**
 * Asynchronous context of the streams. A stream outlives the call for which it is opened, so it must not refer to the
 * context of that call.
 */
const noCall = new AsyncResource('SharedStream');

/** The shared streams to one server, of which one at most is open for calls. */
class SharedStreams {
  readonly #sessions: Sessions;
  #stream: SharedStream | undefined;
  #isOpening = false;
  #calls = 0;
  #countedSince = 0;
  #refusedUntil = 0;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Returns the stream for a call, or undefined if no stream is open. */
  next(): SharedStream | undefined {
    if (this.#stream?.isOpen) return this.#stream;
    if (!this.#isOpening && this.#isBusy()) void noCall.runInAsyncScope(() => this.#open());
    return undefined;
  }

  #isBusy(): boolean {
    const now = performance.now();
    if (now - this.#countedSince > 1_000) {
      this.#countedSince = now;
      this.#calls = 0;
    }
    this.#calls += 1;
    return this.#calls > BUSY_CALLS && now > this.#refusedUntil;
  }

  async #open(): Promise<void> {
    this.#isOpening = true;
    try {
      const headers = { 'content-type': SHARED_STREAM_TYPE };
      const stream = await this.#sessions.request('POST', SHARED_STREAM_PATH, headers, {});
      if (await isAccepted(stream)) this.#stream = new SharedStream(stream);
      else this.#refusedUntil = performance.now() + REFUSED_MS;
    } catch {
      // There is no connection. The next call that is sent separately has the error for its caller.
    } finally {
      this.#isOpening = false;
    }
  }
}

/** Waits for the response, and closes the stream unless it is as expected. */
function isAccepted(stream: ClientHttp2Stream): Promise<boolean> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve(false));
    stream.on('close', () => resolve(false));
    stream.on('response', (headers) => {
      const accepted = headers[':status'] === 200 && headers['content-type'] === SHARED_STREAM_TYPE;
      if (!accepted) stream.close(constants.NGHTTP2_CANCEL);
      resolve(accepted);
    });
  });
}

class SharedStream {
  readonly #stream: ClientHttp2Stream;
  readonly #writer: FrameWriter;
  readonly #waiting = new Map<number, UnaryOutcome>();
  readonly #idle: NodeJS.Timeout;
  #lastId = 0;
  #isEnding = false;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    this.#writer = new FrameWriter(stream);
    const reader = new FrameReader(MAX_ANSWER_BYTES, (head, body) => this.#receive(head as AnswerHead, body));
    // Calls that wait keep the process running by their deadlines.
    const session = stream.session as ClientHttp2Session;
    session.unref();
    const end = () => this.#end();
    session.on('goaway', end);
    stream.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        stream.destroy(new Error('the server sent an invalid frame', { cause: error }));
      }
    });
    stream.on('error', (error) => this.#fail(error));
    // No answer can arrive any more.
    stream.on('end', () => stream.close());
    stream.on('close', () => {
      session.off('goaway', end);
      this.#fail(undefined);
    });
    this.#idle = setTimeout(() => (this.#waiting.size > 0 ? this.#idle.refresh() : this.#end()), IDLE_MS).unref();
  }

  get isOpen(): boolean {
    return !this.#isEnding && this.#stream.writable && this.#stream.writableLength <= MAX_UNSENT_BYTES;
  }

  send({ path, headers, body }: UnaryCall, outcome: UnaryOutcome): () => void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#waiting.set(id, outcome);
    this.#writer.push(encodeFrame({ id, path, headers }, body));
    this.#idle.refresh();
    return () => {
      if (!this.#waiting.delete(id)) return;
      this.#writer.push(encodeFrame({ id }));
      if (this.#isEnding) this.#end();
    };
  }

  #receive({ id, status, headers = {} }: AnswerHead, body: Buffer): void {
    const outcome = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (status === undefined) outcome?.failed(new ConnectError('REFUSED_STREAM: the server stops', Code.Unavailable));
    else outcome?.answered({ status, headers, body });
    if (this.#isEnding) this.#end();
  }

  /** Sends no more calls, and ends the stream when no call waits. */
  #end(): void {
    this.#isEnding = true;
    clearTimeout(this.#idle);
    if (this.#waiting.size === 0) this.#writer.end();
  }

  #fail(error: Error | undefined): void {
    this.#isEnding = true;
    clearTimeout(this.#idle);
    const outcomes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const outcome of outcomes) outcome.failed(error ?? closedEarly(this.#stream.rstCode));
  }
}
