import type { Facts } from './witness.ts';

export interface DescribedOperation {
  /** Name of the operation, such as `GET /api/v1/monitors/{id}`. */
  readonly name: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly 'x-permission'?: string;
  readonly 'x-rate-bucket'?: string;
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxItems?: number;
  readonly [bound: string]: unknown;
}

export interface CoverageTable {
  readonly markdown: string;
  /** Statuses and fields that no test covers. */
  readonly missing: readonly string[];
}

/** Statuses that all endpoints share. The gateway's tests cover each of them once. */
const SHOWN_ONCE = ['400', '409', '413', '415', '429', '500', '503', '304'];

/**
 * Returns a table that shows which test covers each endpoint and field in the document, and lists what no test covers.
 */
export function coverageTable(operations: readonly DescribedOperation[], facts: Facts): CoverageTable {
  const breadth = new Map<string, number>();
  for (const tests of Object.values(facts)) for (const name of tests) breadth.set(name, (breadth.get(name) ?? 0) + 1);
  const missing: string[] = [];

  /**
   * Returns the name of the test that covers a status or field. If there are several, chooses the one that covers the
   * fewest statuses and fields in total. If there is none, adds the status or field to `missing`.
   */
  function proof(fact: string): string {
    const [best] = [...(facts[fact] ?? [])].sort(
      (a, b) => (breadth.get(a) ?? 0) - (breadth.get(b) ?? 0) || (a < b ? -1 : 1),
    );
    if (best === undefined) missing.push(fact);
    return best === undefined ? '**no test**' : cell(best);
  }

  function section(operation: DescribedOperation): string {
    const { name, summary, responses } = operation;
    const statuses = Object.keys(responses).filter((status) => !SHOWN_ONCE.includes(status));
    const answers = statuses.map((status) => `| ${status} | ${proof(`${name} answers ${status}`)} |`);
    const sent = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema));
    const taken = sent.map(
      ({ path, words }) =>
        `| \`${path}\` | ${words} | ${proof(`${name} takes ${path}`)} | ${proof(`${name} refuses ${path}`)} |`,
    );
    const success = Object.entries(responses).find(([status]) => status < '300')?.[1];
    const shown = Object.values(success?.content ?? {})
      .flatMap(({ schema }) => fieldsOf(schema?.properties?.data))
      .map(({ path, words }) => `| \`${path}\` | ${words} | ${proof(`${name} shows ${path}`)} |`);
    const properties = [operation['x-permission'] ?? 'any credential', `${operation['x-rate-bucket'] ?? 'no'} bucket`];
    return [
      `### ${name}`,
      `${summary ?? ''}. ${properties.join(', ')}.`,
      table(HEADS.answers, answers),
      table(HEADS.sent, taken),
      table(HEADS.answered, shown),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  const tags = [...new Set(operations.map(({ tags: [tag = ''] = [] }) => tag))];
  const chapters = tags.map((tag) => {
    const sections = operations.filter(({ tags: [first = ''] = [] }) => first === tag).map(section);
    return [`## ${tag}`, ...sections].join('\n\n');
  });
  return { markdown: [HEAD, ...chapters, ''].join('\n\n'), missing };
}

const HEAD = [
  '# What proves the API',
  'Written by `npm test` from the served OpenAPI document and the tests in `test/contract`. For every endpoint and field it',
  'names one test that shows it; `npm test` fails when something has no test.',
].join('\n');

const HEADS = {
  answers: '| Response | shown by |',
  sent: '| Field sent | what it may be | taken | refused |',
  answered: '| Field returned | what it is | shown by |',
};

/** Escapes text for a Markdown table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function table(head: string, rows: readonly string[]): string {
  if (rows.length === 0) return '';
  return [head, head.replaceAll(/[^|]+/g, ' --- '), ...rows].join('\n');
}

interface Field {
  readonly path: string;
  readonly words: string;
}

/** Returns every field of a schema in the order of the document. Nested fields are named by their paths. */
function fieldsOf(schema: Schema | undefined, at = '', depth = 0): Field[] {
  if (!schema || depth > 8) return [];
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = [
    ...alternatives.flatMap((one) => fieldsOf(one, at, depth + 1)),
    // An array that is always empty has no item fields.
    ...fieldsOf(schema.maxItems === 0 ? undefined : schema.items, at === '' ? '' : `${at}.*`, depth + 1),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
      const path = at === '' ? name : `${at}.${name}`;
      return [{ path, words: describeType(member) }, ...fieldsOf(member, path, depth + 1)];
    }),
  ];
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format', 'default'];

function describeType(schema: Schema): string {
  const type = [schema.type ?? 'any'].flat().join(' or ');
  const bounds = BOUNDS.filter((bound) => schema[bound] !== undefined).map(
    (bound) => `${bound} ${String(schema[bound])}`,
  );
  const words = schema.enum ? [schema.enum.map(String).join(', ')] : [type];
  return cell([...words, ...bounds].join(', '));
}
