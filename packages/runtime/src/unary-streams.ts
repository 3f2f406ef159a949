import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { contentTypeUnaryProto } from '@connectrpc/connect/protocol-connect';
import { fromAddress } from './peer-address.ts';
import { releaseWhenClosed } from './release-when-closed.ts';
import type { UnaryHead, UnaryMethod, UnaryMethods } from './unary-methods.ts';

/**
 * Serves an HTTP/2 request if it is a unary call that `UnaryMethods` can handle, in the form in which `UnaryTransport`
 * sends it. Otherwise returns false and does nothing.
 */
export function serveUnary(
  methods: UnaryMethods,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  address: string,
): boolean {
  if (headers[':method'] !== 'POST' || headers['content-type'] !== contentTypeUnaryProto) return false;
  if (headers['content-encoding'] !== undefined || headers['accept-encoding'] !== undefined) return false;
  const method = methods.find(String(headers[':path']));
  const length = wholeNumber(headers['content-length']);
  const timeoutMs = wholeNumber(headers['connect-timeout-ms']);
  if (!method || length === undefined || length > method.maxBytes) return false;
  if (timeoutMs === undefined && headers['connect-timeout-ms'] !== undefined) return false;

  const onCancel = (cancel: () => void) => (stream.aborted ? cancel() : void stream.once('aborted', cancel));
  releaseWhenClosed(stream);
  void serve(method, stream, { headers, values: fromAddress(address), timeoutMs, onCancel }, length);
  return true;
}

async function serve(method: UnaryMethod, stream: ServerHttp2Stream, head: UnaryHead, length: number): Promise<void> {
  const { status, headers, body } = await method.answer(head, () => readBody(stream, length));
  // The client has canceled the call, or the connection is lost.
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ...headers, ':status': status, 'content-length': body.length });
  stream.end(body);
  // Ends a request whose body was not read.
  if (!stream.readableEnded) stream.resume();
}

/**
 * Reads a request body of known length.
 * @throws ConnectError `canceled` if the stream ends before the body is complete.
 */
function readBody(stream: ServerHttp2Stream, length: number): Promise<Uint8Array> {
  // A stream without data ends before a listener can be added.
  if (length === 0) return Promise.resolve(new Uint8Array());
  return new Promise((resolve, reject) => {
    let isRead = false;
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      isRead = true;
      const [first] = chunks;
      const body = first && chunks.length === 1 ? first : Buffer.concat(chunks);
      if (body.length === length) resolve(body);
      else reject(new ConnectError('the request body is incomplete', Code.Canceled));
    });
    const onClose = () => {
      // Creating an error is expensive, and each stream closes.
      if (!isRead) reject(new ConnectError('the client canceled the call', Code.Canceled));
    };
    if (stream.destroyed) onClose();
    else stream.on('close', onClose);
  });
}

function wholeNumber(value: string | readonly string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : undefined;
}
