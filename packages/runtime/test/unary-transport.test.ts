import { createServer, type ServerHttp2Stream } from 'node:http2';
import { toBinary } from '@bufbuild/protobuf';
import { IdentityService, ListSigningKeysResponseSchema } from '@tocsin/proto/identity/v1/identity';
import { expect, test } from 'vitest';
import { createRpcClient, createTransport, listen } from '../src/index.ts';

/** Starts an HTTP/2 server that handles each stream with `respond`, and returns a client for it. */
async function serve(stack: AsyncDisposableStack, respond: (stream: ServerHttp2Stream) => void, timeoutMs = 30_000) {
  const server = createServer();
  server.on('sessionError', () => undefined);
  server.on('session', (session) => stack.defer(() => session.destroy()));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    respond(stream);
  });
  stack.defer(() => void server.close());
  const port = await listen(server, '127.0.0.1', 0);
  const transport = createTransport({ url: `http://127.0.0.1:${port}`, service: 'sample', timeoutMs });
  return createRpcClient(IdentityService, transport);
}

const body = toBinary(ListSigningKeysResponseSchema, {
  $typeName: 'tocsin.identity.v1.ListSigningKeysResponse',
  jwksJson: 'keys',
});

test('a response whose body arrives in parts is complete', async () => {
  await using stack = new AsyncDisposableStack();
  const client = await serve(stack, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/proto' });
    stream.write(body.subarray(0, 1));
    setImmediate(() => stream.end(body.subarray(1)));
  });
  expect((await client.listSigningKeys({})).jwksJson).toBe('keys');
});

test('a call fails at once if the server ends it without a response', async () => {
  await using stack = new AsyncDisposableStack();
  const client = await serve(stack, (stream) => stream.close());
  await expect(client.listSigningKeys({})).rejects.toMatchObject({ kind: 'unavailable' });
});

test('a response that ends early is an error, even if the received part is a valid message', async () => {
  await using stack = new AsyncDisposableStack();
  const client = await serve(stack, (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/proto' });
    stream.write(body);
    setImmediate(() => stream.session?.destroy());
  });
  await expect(client.listSigningKeys({})).rejects.toMatchObject({ name: 'ServiceError' });
});

test.each([
  [{ ':status': 200, 'content-type': 'text/html' }, 'internal'],
  [{ ':status': 200, 'content-type': 'application/proto', 'content-encoding': 'br' }, 'internal'],
  [{ ':status': 503, 'content-type': 'text/html' }, 'unavailable'],
  [{ ':status': 401, 'content-type': 'application/json' }, 'unauthenticated'],
])('a response with the headers %j is an error of the kind %s', async (headers, kind) => {
  await using stack = new AsyncDisposableStack();
  const client = await serve(stack, (stream) => {
    stream.respond(headers);
    stream.end(body);
  });
  await expect(client.listSigningKeys({})).rejects.toMatchObject({ name: 'ServiceError', kind });
});

test('an error contains the headers of the response', async () => {
  await using stack = new AsyncDisposableStack();
  const client = await serve(stack, (stream) => {
    stream.respond({ ':status': 429, 'content-type': 'application/json', 'retry-after': '7' });
    stream.end(JSON.stringify({ code: 'resource_exhausted', message: 'wait' }));
  });
  await expect(client.listSigningKeys({})).rejects.toMatchObject({
    kind: 'rate_limited',
    message: 'wait',
    retryAfterSeconds: 7,
  });
});

test('a call that the caller aborts is canceled at the server', async () => {
  await using stack = new AsyncDisposableStack();
  const arrived = Promise.withResolvers<void>();
  const canceled = Promise.withResolvers<number | undefined>();
  const client = await serve(stack, (stream) => {
    stream.on('close', () => canceled.resolve(stream.rstCode));
    arrived.resolve();
  });
  const aborting = new AbortController();
  const call = client.listSigningKeys({}, { signal: aborting.signal });
  const failed = expect(call).rejects.toMatchObject({ name: 'ServiceError', kind: 'deadline' });
  await arrived.promise;
  aborting.abort();
  await failed;
  expect(await canceled.promise).toBe(8);
});
