import { exampleOf } from './example-of.ts';
import { nameSchemas } from './name-schemas.ts';
import { operationId, resourceOf } from './operation-id.ts';
import {
  countedHeaders,
  errorReference,
  type HeaderName,
  headerReferences,
  parameterReference,
  sharedParts,
} from './shared-parts.ts';
import type { Content, Document, Operation, Parameter, Reference, Response, Schema } from './types.ts';

const SUCCESS: Readonly<Record<string, string>> = { 200: 'Done', 201: 'Created', 204: 'Done; there is no body' };

/**
 * Completes the route descriptions: adds operation ids, examples, headers, and references to the shared error
 * responses.
 */
export function finishDocument(bare: Document, error: Schema): Document {
  const paths = Object.entries(bare.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, finishOperation(method, path, operation)]),
    ),
  ]);
  const webhooks = Object.entries(bare.webhooks ?? {}).map(([kind, { post }]) => [
    kind,
    { post: post && { ...post, requestBody: withExamples(post) } },
  ]);
  const components = { ...bare.components, ...sharedParts(error) };
  return nameSchemas(
    { ...bare, paths: Object.fromEntries(paths), webhooks: Object.fromEntries(webhooks), components },
    { Error: error },
  );
}

function finishOperation(method: string, path: string, operation: Operation): Operation {
  const { requestBody, parameters = [] } = operation;
  if (operation.security?.length === 0) return finishPublic(operation);
  const isRead = method === 'get';
  const headers: HeaderName[] = [
    ...(isRead ? (['etag'] as const) : []),
    ...(method === 'post' ? (['idempotency-replayed'] as const) : []),
    'x-tocsin-ignored',
    ...(parameters.some((parameter) => 'name' in parameter && parameter.name === 'cursor') ? (['link'] as const) : []),
  ];
  return {
    operationId: operationId(method, path),
    ...operation,
    parameters: [
      ...parameters.map((parameter) => finishParameter(path, parameter)),
      ...(method === 'post' ? [parameterReference('IdempotencyKey')] : []),
      ...(isRead ? [parameterReference('IfNoneMatch')] : []),
    ],
    ...(requestBody && {
      requestBody: {
        required: true,
        description: `At most ${(operation['x-max-body-bytes'] ?? 0) / 1024} KB`,
        content: finishBody(method, requestBody.content),
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          errorReference(status) ?? finishResponse(status, response, headers),
        ]),
      ),
      ...(isRead && { 304: notModified }),
      ...(requestBody && { 204: nothingWrong }),
    },
  };
}

/**
 * Completes the description of a route that needs no credential. Such a route has its own responses and no rate-limit
 * headers.
 */
function finishPublic(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    if ('$ref' in response || !response.content || isSharedError(response.content))
      return [status, errorReference(status)];
    const description = Object.values(response.content)[0]?.schema.description ?? response.description;
    const headers = headerReferences(status === '429' ? ['x-request-id', 'retry-after'] : ['x-request-id']);
    return [status, { ...response, description, headers, content: mapSchemas(response.content, withExample) }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function isSharedError(content: Content): boolean {
  return Object.values(content).some(({ schema }) => schema.properties?.error?.properties !== undefined);
}

const notModified: Response = {
  description: 'Nothing has changed since the `etag` that was sent; there is no body',
  headers: countedHeaders('etag'),
};

const nothingWrong: Response = {
  description: 'With `validate_only`: nothing is wrong, and nothing was changed',
  headers: countedHeaders('x-tocsin-ignored'),
};

function withExamples({ requestBody }: Operation): Operation['requestBody'] {
  return requestBody && { ...requestBody, content: mapSchemas(requestBody.content, withExample) };
}

function finishParameter(path: string, parameter: Parameter | Reference): Parameter | Reference {
  if ('$ref' in parameter) return parameter;
  // A path parameter with the description `UUID` gets a description that names its resource.
  if (parameter.in !== 'path' || (parameter.description ?? parameter.schema?.description) !== 'UUID')
    return { ...parameter, description: parameter.description ?? 'Only those' };
  return {
    ...parameter,
    description: `UUID of the ${resourceOf(path, parameter.name)}`,
    schema: { type: 'string', format: 'uuid', maxLength: 36, examples: ['0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f'] },
  };
}

function finishBody(method: string, content: Content): Content {
  return mapSchemas(content, (schema) => {
    const taken = method === 'patch' ? withoutDefaults(schema) : schema;
    return { schema: taken, example: exampleOf(taken, 'what is needed') };
  });
}

/**
 * Removes the defaults from a PATCH body, because a field that is absent from the body does not change the resource.
 */
function withoutDefaults({ properties = {}, ...schema }: Schema): Schema {
  const fields = Object.entries(properties).map(([name, { default: _, ...property }]) => [name, property]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function finishResponse(
  status: string,
  response: Response | Reference,
  headers: readonly HeaderName[],
): Response | Reference {
  if ('$ref' in response) return response;
  return {
    description: SUCCESS[status] ?? response.description,
    headers: countedHeaders(...headers),
    ...(response.content && status !== '204' && { content: mapSchemas(response.content, withExample) }),
  };
}

function withExample(schema: Schema): Content[string] {
  // A binary body has no example.
  if (!schema.type && !schema.properties && !schema.anyOf && !schema.oneOf) return { schema };
  return { schema, example: exampleOf(schema, 'everything') };
}

function mapSchemas(content: Content, finish: (schema: Schema) => Content[string]): Content {
  return Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, finish(schema)]));
}
