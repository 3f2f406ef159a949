import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { ServerReflection, type ServerReflectionRequest } from '@tocsin/proto/grpc/reflection/v1/reflection';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grpcClient, streaming } from './grpc-js.ts';
import { type Sample, startSample } from './sample-server.ts';

let sample: Sample;

beforeAll(async () => {
  sample = await startSample();
});

afterAll(() => sample[Symbol.asyncDispose]());

/** Returns the server's response to one request without a token. */
async function ask(messageRequest: ServerReflectionRequest['messageRequest']) {
  using client = grpcClient(sample.port);
  using call = streaming(client, ServerReflection.method.serverReflectionInfo);
  call.send({ messageRequest });
  return (await call.next()).messageResponse;
}

test('all services of the server are listed', async () => {
  const { case: kind, value } = await ask({ case: 'listServices', value: '' });
  expect(kind).toBe('listServicesResponse');
  expect(value).toMatchObject({
    service: [
      { name: 'tocsin.identity.v1.AdminService' },
      { name: 'tocsin.identity.v1.ApiKeyService' },
      { name: 'tocsin.identity.v1.IdentityService' },
      { name: 'grpc.health.v1.Health' },
      { name: 'grpc.reflection.v1.ServerReflection' },
    ],
  });
});

const symbols = [
  'tocsin.identity.v1.AdminService',
  'tocsin.identity.v1.AdminService.CreateApiKey',
  'tocsin.identity.v1.CreateApiKeyRequest',
  'tocsin.identity.v1.CreateApiKeyRequest.name',
];

test.each(symbols)('the response for %s contains its proto file and all dependencies of the file', async (value) => {
  const response = await ask({ case: 'fileContainingSymbol', value });
  if (response.case !== 'fileDescriptorResponse') throw new Error(`answered ${response.case}`);
  const file = response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  // Throws if a dependency of the file is missing.
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.toReversed() }));
  expect(registry.getService('tocsin.identity.v1.AdminService')?.method.createApiKey).toBeDefined();
});

test('an unknown symbol causes an error response, and the stream continues', async () => {
  using client = grpcClient(sample.port);
  using call = streaming(client, ServerReflection.method.serverReflectionInfo);
  call.send({ messageRequest: { case: 'fileContainingSymbol', value: 'tocsin.nothing.v1.Nothing' } });
  expect((await call.next()).messageResponse).toMatchObject({
    case: 'errorResponse',
    value: { errorCode: status.NOT_FOUND },
  });
  call.send({ messageRequest: { case: 'fileByFilename', value: 'tocsin/identity/v1/identity.proto' } });
  expect((await call.next()).messageResponse.case).toBe('fileDescriptorResponse');
});
