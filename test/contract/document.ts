import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { Answer } from '../api.ts';

interface ResponseDescription {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

export interface Operation {
  /** Name of the operation, such as `GET /api/v1/monitors/{id}`. */
  readonly name: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: { readonly maximum?: number };
  }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, ResponseDescription>>;
}

/** The OpenAPI document that an installation serves, with its references resolved. */
export interface Document {
  readonly content: {
    readonly openapi: string;
    readonly info: { readonly description: string };
    readonly servers: readonly { readonly url: string }[];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'name'>>>>>;
    readonly webhooks: Readonly<
      Record<
        string,
        { readonly post: { readonly requestBody: { readonly content: ResponseDescription['content'] & object } } }
      >
    >;
  };
  readonly operations: readonly Operation[];
  /**
   * Validates a response against its operation in the document. Returns the operation's name; undefined if the document
   * has no such operation.
   * @throws Error when the status is not described, or the body does not match.
   */
  check(method: string, path: string, response: Answer): string | undefined;
  /**
   * Validates the body of a delivery.
   * @throws Error when its type is not described, or the body does not match.
   */
  checkEvent(body: unknown): void;
  /**
   * Returns the names of the config fields for each type of a resource, from the request body of the POST operation.
   */
  configFields(path: string, discriminator: string): Readonly<Record<string, readonly string[]>>;
}

interface BodySchema {
  readonly oneOf?: readonly {
    readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] } & BodySchema>>;
  }[];
  readonly properties?: object;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/;

export async function readDocument(baseUrl: string): Promise<Document> {
  const response = await fetch(`${baseUrl}/openapi.yaml`);
  const content = resolveReferences<Document['content']>(parse(await response.text()));
  const operations = Object.entries(content.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
  );
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { uuid: UUID, 'date-time': INSTANT, uri: (text: string) => URL.canParse(text) },
  });
  const validators = new Map<object, ValidateFunction>();

  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    const validator = ajv.compile(schema);
    validators.set(schema, validator);
    return validator;
  }

  function explain(validate: ValidateFunction): string {
    return ajv.errorsText(validate.errors, { dataVar: 'body', separator: '\n' });
  }

  return {
    content,
    operations,
    checkEvent(body) {
      const { type } = body as { type: string };
      const schema = content.webhooks[type]?.post.requestBody.content['application/json']?.schema;
      if (!schema) throw new Error(`the event ${type} is not described`);
      const validate = validatorOf(schema);
      if (!validate(body)) throw new Error(`the event ${type} is not as described:\n${explain(validate)}`);
    },
    configFields(path, discriminator) {
      const { requestBody } = content.paths[path]?.post ?? {};
      const { content: media } = requestBody as { content: Record<string, { schema: BodySchema }> };
      const forms = media['application/json']?.schema.oneOf ?? [];
      return Object.fromEntries(
        forms.map(({ properties }) => [
          properties[discriminator]?.enum?.[0],
          Object.keys(properties.config?.properties ?? {}),
        ]),
      );
    },
    check(method, path, { status, headers, body }) {
      const operation = operations.find(({ name }) => fits(name, method, path));
      if (!operation) return undefined;
      const described = operation.responses[status];
      if (!described) throw new Error(`${operation.name} returned ${status}, which its description lacks`);
      if (status === 204 || status === 304 || method === 'HEAD') {
        if (body !== '') throw new Error(`${operation.name} returned ${status} with a body`);
        return operation.name;
      }
      const type = headers.get('content-type')?.split(';')[0] ?? 'nothing';
      const schema = described.content?.[type]?.schema;
      if (!schema) throw new Error(`${operation.name} answered ${type} with ${status}, which its description lacks`);
      const validate = validatorOf(schema);
      if (validate(body)) return operation.name;
      throw new Error(`${operation.name} returned ${status} otherwise than described:\n${explain(validate)}`);
    },
  };
}

/** Replaces each reference with its target. The same target is always the same object. The document has no cycles. */
function resolveReferences<Content>(document: Content): Content {
  const known = new Map<string, unknown>();

  function resolve(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    if (!('$ref' in node)) return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
    const reference = String(node.$ref);
    if (!known.has(reference)) known.set(reference, resolve(find(reference)));
    return known.get(reference);
  }

  function find(reference: string): unknown {
    const steps = reference.split('/').slice(1);
    const found = steps.reduce<unknown>(
      (node, step) => (node as Record<string, unknown> | undefined)?.[step],
      document,
    );
    if (found === undefined) throw new Error(`the document refers to ${reference}, which it lacks`);
    return found;
  }

  return resolve(document) as Content;
}

function fits(name: string, method: string, path: string): boolean {
  const expression = name.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${expression}$`).test(`${method} ${path.split('?')[0]}`);
}
