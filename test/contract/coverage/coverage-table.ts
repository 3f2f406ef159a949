import type { Facts } from './witness.ts';

export interface DescribedOperation {
  /** `GET /api/v1/monitors/{id}`. */
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
  /** What no test showed. */
  readonly missing: readonly string[];
}

/** What all endpoints answer for the same reason is shown once for all, by tests of the gateway. */
const SHOWN_ONCE = ['400', '409', '413', '415', '429', '500', '503', '304'];

/**
 * What proves each endpoint and each field of the document. A test that the page before named stays as long as it is a proof: what others show
 * beside it may depend on how fast they were.
 */
export function coverageTable(operations: readonly DescribedOperation[], facts: Facts, before = ''): CoverageTable {
  const named = proofsOn(before);
  const breadth = new Map<string, number>();
  for (const tests of Object.values(facts)) for (const name of tests) breadth.set(name, (breadth.get(name) ?? 0) + 1);
  const missing: string[] = [];

  /** Else the test that shows little else, so that its name says most. */
  function proof(fact: string): string {
    const tests = [...(facts[fact] ?? [])];
    const kept = tests.find((test) => cell(test) === named.get(fact));
    const [best] = tests.sort((a, b) => (breadth.get(a) ?? 0) - (breadth.get(b) ?? 0) || (a < b ? -1 : 1));
    if (best === undefined) missing.push(fact);
    return best === undefined ? '**no test**' : cell(kept ?? best);
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
    const facts = [operation['x-permission'] ?? 'any credential', `${operation['x-rate-bucket'] ?? 'no'} bucket`];
    return [
      `### ${name}`,
      `${summary ?? ''}. ${facts.join(', ')}.`,
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

const HEAD = `# What proves the API

Made by \`npm run api-coverage\` from the served OpenAPI document and a run of the tests in \`test/contract\`; not to be edited. For every
endpoint and field it names one test that shows it. \`npm test\` fails when it is out of date or when something has no test.`;

const HEADS = {
  answers: '| Answers | shown by |',
  sent: '| Field sent | what it may be | taken | refused |',
  answered: '| Field answered | what it is | shown by |',
};

/** Which test a page names for each fact, as it stands there. */
function proofsOn(page: string): Map<string, string> {
  const proofs = new Map<string, string>();
  let operation = '';
  let head = '';
  for (const line of page.split('\n')) {
    const cells = line.slice(2, -2).split(/(?<!\\) \| /);
    const about = cells[0]?.replaceAll('`', '');
    if (line.startsWith('### ')) operation = line.slice(4);
    else if (Object.values(HEADS).includes(line)) head = line;
    else if (head === HEADS.answers) proofs.set(`${operation} answers ${about}`, cells[1] ?? '');
    else if (head === HEADS.answered) proofs.set(`${operation} shows ${about}`, cells[2] ?? '');
    else if (head === HEADS.sent) {
      proofs.set(`${operation} takes ${about}`, cells[2] ?? '');
      proofs.set(`${operation} refuses ${about}`, cells[3] ?? '');
    }
  }
  return proofs;
}

/** As text stands in a table. */
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

/** Every field of a schema, those of nested objects and arrays by their path, in the order of the document. */
function fieldsOf(schema: Schema | undefined, at = '', depth = 0): Field[] {
  if (!schema || depth > 8) return [];
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = [
    ...alternatives.flatMap((one) => fieldsOf(one, at, depth + 1)),
    // What is always empty has no items to show.
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
