import type { Document, Parameter, Reference, Response, Schema } from '../document/types.ts';
import type { DescribedOperation } from './operation-html.ts';
import { errorsOf } from './render-index.ts';
import { type Resolve, resolverOf } from './resolve.ts';
import { curl } from './samples/curl.ts';
import { exampleCall } from './samples/example-call.ts';
import { pathOf, type Section, sectionOf, titleOf } from './sections.ts';
import { typeWords } from './type-words.ts';

const JSON_TYPE = 'application/json';

/** Returns the first page of the reference as Markdown. */
export function indexMarkdown(document: Document, sections: readonly Section[]): string {
  const { info, servers = [], components } = document;
  const headers = Object.entries(components?.headers ?? {});
  return lines(
    `# ${info.title} API ${info.version}`,
    info.description,
    `The base address is \`${servers[0]?.url}\`. The OpenAPI 3.1 document is \`/openapi.yaml\`, and as JSON \`/api/v1/openapi.json\`.`,
    '## Authentication',
    'Send an API key or an OAuth 2.1 access token as `authorization: Bearer …` with every request. The permission that an operation needs is named with it; `read_write` includes `read`.',
    '## Operations',
    ...sections.flatMap((section) => [
      `### [${section.name}](${pathOf(section.name)}.md)`,
      section.description,
      section.operations.map((described) => `- ${callOf(described)}: ${titleOf(described)}`).join('\n'),
    ]),
    '## Headers of responses',
    headers.map(([name, { description }]) => `- \`${name}\`: ${description}`).join('\n'),
    '## Errors',
    errorsOf(document, resolverOf(document))
      .map(([status, { description }]) => `- ${status}: ${description}`)
      .join('\n'),
  );
}

/** Returns a tag's page as Markdown. A named schema is described once, at the end. */
export function sectionMarkdown(document: Document, tag: string): string {
  const section = sectionOf(document, tag);
  const resolve = resolverOf(document);
  const schemas = new Schemas(resolve);
  const baseUrl = document.servers?.[0]?.url ?? '';
  const operations = section.operations.map((described) => operationMarkdown(described, baseUrl, resolve, schemas));
  const named = schemas.describeAll();
  return lines(
    `# ${section.name}`,
    section.description,
    ...operations,
    ...(named.length > 0 ? ['## Schemas', ...named] : []),
  );
}

function operationMarkdown(described: DescribedOperation, baseUrl: string, resolve: Resolve, schemas: Schemas): string {
  const { method, path, operation } = described;
  const { operationId = '', summary = '', parameters = [], requestBody, responses, security } = operation;
  const permission = operation['x-permission'];
  const body = requestBody?.content[JSON_TYPE];
  const facts = [
    callOf(described),
    `operation \`${operationId}\``,
    permission ? `permission \`${permission}\`` : security?.length === 0 ? 'no credential' : 'any valid credential',
    ...(operation['x-rate-bucket'] ? [`rate bucket \`${operation['x-rate-bucket']}\``] : []),
  ];
  const success = Object.entries(responses).find(([status]) => status < '300');
  const example = success && resolve<Response>(success[1]).content?.[JSON_TYPE]?.example;
  return lines(
    `## ${summary}`,
    facts.join(' · '),
    ...(parameters.length > 0
      ? ['Parameters:', parameters.map((part) => parameterLine(resolve<Parameter>(part), resolve)).join('\n')]
      : []),
    ...(body ? ['Body:', schemas.describe(body.schema, 'sent')] : []),
    'Responses:',
    Object.entries(responses)
      .map(([status, response]) => responseLine(status, response, resolve, schemas))
      .join('\n'),
    code('sh', curl(exampleCall(baseUrl, method, path, operation))),
    ...(example === undefined ? [] : [code('json', JSON.stringify(example, null, 2))]),
  );
}

function callOf({ method, path }: DescribedOperation): string {
  return `\`${method.toUpperCase()} ${path}\``;
}

function parameterLine({ name, in: place, required, schema, description }: Parameter, resolve: Resolve): string {
  const type = [place, typeWords(schema, resolve), ...(required ? ['required'] : [])].join(', ');
  return `- \`${name}\` (${type})${description ? `: ${description}` : ''}${choicesOf(schema)}`;
}

function responseLine(status: string, reference: Response | Reference, resolve: Resolve, schemas: Schemas): string {
  const response = resolve<Response>(reference);
  const schema = status < '300' ? response.content?.[JSON_TYPE]?.schema : undefined;
  const line = `- ${status}: ${response.description}`;
  return schema ? `${line}\n${schemas.describe(schema, 'returned', '  ')}` : line;
}

/** Describes schemas. A named schema is described once, at the end of the page. */
class Schemas {
  readonly #resolve: Resolve;
  /** Names of the schemas that the page mentions, and whether each is sent or returned. */
  readonly #mentioned = new Map<string, 'sent' | 'returned'>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Lists the fields of an unnamed schema. For a named schema, returns only the name. */
  describe(schema: Schema, direction: 'sent' | 'returned', indent = ''): string {
    const name = this.#mention(schema, direction);
    if (name) return `${indent}- ${name}`;
    const forms = schema.oneOf ?? schema.anyOf;
    if (forms)
      return forms
        .map((form) => this.#mention(form, direction) ?? this.describe(form, direction, `${indent}  `))
        .map((form) => (form.startsWith('`') ? `${indent}- ${form}` : `${indent}- one form:\n${form}`))
        .join('\n');
    return Object.entries(schema.properties ?? {})
      .map(([field, property]) => {
        const isRequired = schema.required?.includes(field) ?? false;
        return this.#fieldLines(field, property, isRequired, direction, indent);
      })
      .join('\n');
  }

  /** Describes all mentioned schemas, including those that other mentioned schemas contain. */
  describeAll(): string[] {
    const described: string[] = [];
    // The loop also visits entries that are added to the map while it runs.
    for (const [name, direction] of this.#mentioned) {
      const schema = this.#resolve<Schema>({ $ref: `#/components/schemas/${name}` });
      described.push(`### ${name}`, this.describe(schema, direction) || typeWords(schema, this.#resolve));
    }
    return described;
  }

  #fieldLines(
    name: string,
    property: Schema,
    isRequired: boolean,
    direction: 'sent' | 'returned',
    indent: string,
  ): string {
    const schema = this.#resolve(property);
    const items = schema.items;
    const mention = this.#mention(property, direction) ?? (items && this.#mention(items, direction));
    const type = mention ? `${items ? 'array of ' : ''}${mention}` : typeWords(schema, this.#resolve);
    const mark = direction === 'sent' ? isRequired && 'required' : !isRequired && 'may be absent';
    const { description, default: fallback } = schema;
    const line = [
      `${indent}- \`${name}\` (${[type, ...(mark ? [mark] : [])].join(', ')})`,
      ...(description && !mention ? [`: ${description}`] : []),
      choicesOf(items ?? schema),
      ...(fallback === undefined ? [] : [`; default \`${JSON.stringify(fallback)}\``]),
    ].join('');
    const below = mention ? '' : this.describe(items ? this.#resolve(items) : schema, direction, `${indent}  `);
    return below ? `${line}\n${below}` : line;
  }

  /** Returns the name of a schema, and records that the page mentions it; undefined for an unnamed schema. */
  #mention({ $ref }: Schema, direction: 'sent' | 'returned'): string | undefined {
    const name = $ref?.split('/').at(-1);
    if (name === undefined) return undefined;
    if (!this.#mentioned.has(name)) this.#mentioned.set(name, direction);
    return `\`${name}\``;
  }
}

function choicesOf({ enum: choices }: Schema): string {
  return choices ? `; one of ${choices.map((choice) => `\`${String(choice)}\``).join(', ')}` : '';
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Joins blocks of Markdown with empty lines. */
function lines(...blocks: readonly (string | undefined)[]): string {
  return `${blocks.filter(Boolean).join('\n\n').trimEnd()}\n`;
}
