import { createRegistry, type DescFile, type DescService, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { Health } from '@tocsin/proto/grpc/health/v1/health';
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '@tocsin/proto/grpc/reflection/v1/reflection';

type ReflectionResponse = MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse'];

/** Adds the gRPC server reflection protocol (v1), so that tools such as grpcurl need no proto files. */
export function addReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const all = [...services, Health, ServerReflection];
  const files = new Map<string, DescFile>();
  for (const service of all) collect(service.file, files);
  const registry = createRegistry(...files.values());

  function fileOf(symbol: string): DescFile | undefined {
    const found = registry.get(symbol);
    if (found) return found.file;
    // The file of a field, method or enum value is the file of its parent.
    const parent = symbol.lastIndexOf('.');
    return parent > 0 ? fileOf(symbol.slice(0, parent)) : undefined;
  }

  function response({ messageRequest }: ServerReflectionRequest): ReflectionResponse {
    switch (messageRequest.case) {
      case 'listServices': {
        const service = all.map(({ typeName }) => ({ name: typeName }));
        return { case: 'listServicesResponse', value: { service } };
      }
      case 'fileByFilename':
        return withDependencies(files.get(messageRequest.value), messageRequest.value);
      case 'fileContainingSymbol':
        return withDependencies(fileOf(messageRequest.value), messageRequest.value);
      default:
        return notFound(`${messageRequest.case ?? 'an empty request'} (no extensions are used here)`);
    }
  }

  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield { validHost: request.host, originalRequest: request, messageResponse: response(request) };
      }
    },
  });
}

function collect(file: DescFile, into: Map<string, DescFile>): Map<string, DescFile> {
  const name = file.proto.name;
  if (into.has(name)) return into;
  into.set(name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
  return into;
}

function withDependencies(file: DescFile | undefined, wanted: string): ReflectionResponse {
  if (!file) return notFound(wanted);
  const fileDescriptorProto = [...collect(file, new Map()).values()].map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

function notFound(wanted: string): ReflectionResponse {
  return { case: 'errorResponse', value: { errorCode: Code.NotFound, errorMessage: `not found: ${wanted}` } };
}
