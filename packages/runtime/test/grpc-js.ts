import {
  create,
  type DescMessage,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';

/** Returns a client of the official library grpc-js, which shares no code with our servers. */
export function grpcClient(port: number): Client & Disposable {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

/**
 * Calls a unary method.
 * @throws the status as a grpc-js error with `code` and `details`.
 */
export function unary<Input extends DescMessage, Output extends DescMessage>(
  client: Client,
  method: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
  { token, timeoutMs }: { token?: string; timeoutMs?: number } = {},
): Promise<MessageShape<Output>> {
  const metadata = new Metadata();
  if (token) metadata.set('authorization', `Bearer ${token}`);
  const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, response?: MessageShape<Output>) =>
      response ? resolve(response) : reject(error);
    const { path, encode, decode } = wire(method);
    client.makeUnaryRequest(path, encode, decode, create(method.input, request), metadata, options, done);
  });
}

/** Opens a bidirectional streaming call. `next` returns the server's messages one by one. */
export function streaming<Input extends DescMessage, Output extends DescMessage>(
  client: Client,
  method: DescMethodStreaming<Input, Output>,
) {
  const { path, encode, decode } = wire(method);
  const call = client.makeBidiStreamRequest(path, encode, decode);
  // Disposing cancels the call. The stream then fails with CANCELLED, which is expected.
  call.on('error', () => undefined);
  const responses: AsyncIterator<MessageShape<Output>, undefined> = call[Symbol.asyncIterator]();
  return {
    send: (message: MessageInitShape<Input>) => call.write(create(method.input, message)),
    /** Closes the client's side of the stream. */
    end: () => call.end(),
    async next(): Promise<MessageShape<Output>> {
      const { value } = await responses.next();
      if (value === undefined) throw new Error(`${method.name} was ended by the server`);
      return value;
    },
    [Symbol.dispose]: () => call.cancel(),
  };
}

function wire<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output> | DescMethodStreaming<Input, Output>,
) {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    encode: (message: MessageShape<Input>) => Buffer.from(toBinary(method.input, message)),
    decode: (bytes: Buffer) => fromBinary(method.output, bytes),
  };
}
