import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_LIMITS, LIMIT_NAMES } from '@tocsin/enums';

/**
 * Generates the configuration reference, docs/operations/configuration.md, from the code that reads the variables: from
 * each `property: read.method('VARIABLE', …)`, and from the comment on this property in the config interface.
 */

const root = join(import.meta.dirname, '..');

export const REFERENCE = join(root, 'docs/operations/configuration.md');

/** Programs, in the order of their default ports. */
const PROGRAMS = ['gateway', 'identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier'];
const FIRST_RPC_PORT = 7_100;

/** Files with settings that several programs have. */
const SHARED = ['packages/runtime/src/base-config.ts', 'packages/service/src/service-config.ts'];

/** Folders with constants that are used as defaults. */
const CONSTANTS = ['packages/netguard/src', 'services/notifier/src/domain', 'services/notifier/src/app'];

/** Meanings of the variables that no comment in a config interface documents, such as those that ConfigReader reads. */
const MEANINGS: Readonly<Record<string, string>> = {
  TOCSIN_HOST: 'Address on which the program accepts calls; 0.0.0.0 in containers.',
  TOCSIN_DRAIN_S:
    'Seconds in which the program finishes its work after SIGTERM, before it is forced to exit. For a checker, the time of its longest check: up to 100.',
  TOCSIN_LOG_LEVEL: 'One of trace, debug, info, warn, error.',
  TOCSIN_DATABASE_URL:
    'postgres://user:password@host:port/database. Without a `search_path` in its `options`, the service uses a schema of its own name.',
  TOCSIN_OWNER_DATABASE_URL:
    'URL of the role that migrates and owns the tables, if it is another one: see docs/operations/database-roles.md.',
  TOCSIN_NATS_URL: 'One or more URLs nats://user:password@host:4222 or tls://…, separated by commas.',
  TOCSIN_MIGRATIONS:
    '`run`: the service migrates its database when it starts. `wait`: it waits until another program, such as the Job of the Helm chart, has done so.',
  TOCSIN_DATABASE_CONNECTIONS:
    'Maximum number of connections of the program to its database, without two or three that wait for notifications.',
  TOCSIN_PORT: 'Port of the public HTTP API and of all pages.',
  TOCSIN_PAGE_CACHE_MB: 'Maximum size in MiB of the public pages that are stored in memory.',
  TOCSIN_PAGE_MAX_AGE_S: 'Maximum time in seconds for which a page is sent without a request to statuspage.',
  TOCSIN_LINGER_S:
    'Seconds after SIGTERM in which the gateway still accepts requests, and ends each connection with its next response. It should be longer than clients keep unused connections.',
  TOCSIN_REQUEST_TIMEOUT_S: 'Maximum time in seconds for a request to arrive, including its body.',
  TOCSIN_RATE_LIMIT_STATS: 'Requests of a credential for statistics per minute; 0 disables the limit.',
  TOCSIN_RATE_LIMIT_READ: 'Other reads of a credential per minute; 0 disables the limit.',
  TOCSIN_RATE_LIMIT_WRITE: 'Writes of a credential per minute; 0 disables the limit.',
  TOCSIN_SERVICE_SECRETS: 'Secrets of all programs and of the operator: `name:secret,name:secret`.',
  TOCSIN_OAUTH_CLIENTS: 'Further OAuth clients, a JSON list: see docs/oauth.md.',
  TOCSIN_SNAPSHOT_DIR: 'Folder into which snapshots of public pages are written; none are written without it.',
  TOCSIN_SNAPSHOT_S3_URL: 'Bucket for snapshots instead of a folder, such as https://host/bucket.',
  TOCSIN_SNAPSHOT_S3_ACCESS_KEY_ID: 'With a bucket: id of the key with which snapshots are written to it.',
  TOCSIN_SNAPSHOT_S3_SECRET_ACCESS_KEY: 'With a bucket: key with which snapshots are written to it.',
  TOCSIN_SNAPSHOT_S3_REGION: "Region in the requests' signatures.",
  TOCSIN_STATUS_DOMAIN: 'Domain below which each page has a host of its own, such as status.example.com.',
  TOCSIN_SMTP_URL: 'Mail server, such as smtp://user:password@host:587; no mail is sent without it.',
  TOCSIN_WEBHOOK_RETRY_SECONDS: "Waits in seconds between the attempts at a subscription's delivery.",
};

function meaningOf(name: string): string | undefined {
  if (MEANINGS[name]) return MEANINGS[name];
  const called = /^TOCSIN_([A-Z_]+)_URL$/.exec(name)?.[1]?.toLowerCase();
  if (called === undefined || name === 'TOCSIN_BASE_URL') return undefined;
  if (PROGRAMS.includes(called))
    return `URL of the service ${called}, such as http://${called}:${FIRST_RPC_PORT + PROGRAMS.indexOf(called)}.`;
  return undefined;
}

interface Variable {
  readonly name: string;
  readonly fallback: string | undefined;
  readonly meaning: string;
}

const SECRET = /SECRET|VAULT_KEYS|PASSWORD|DATABASE_URL|NATS_URL|SMTP_URL|ACCESS_KEY|OAUTH_CLIENTS/;

/** Returns the reference as Markdown. */
export async function configReference(): Promise<string> {
  const shared = await Promise.all(SHARED.map((file) => readFile(join(root, file), 'utf8')));
  const constants = await sourcesIn(CONSTANTS);
  const sections = await Promise.all(
    PROGRAMS.map(async (program) => {
      const file = join(root, program === 'gateway' ? 'gateway' : join('services', program), 'src/config.ts');
      return `## ${program}\n\n${table(variablesOf(await readFile(file, 'utf8'), [...shared, ...constants]))}`;
    }),
  );
  return `# Configuration

Every program reads its settings from environment variables when it starts, so that a change needs a restart. For each variable, the one with the suffix \`_FILE\` may name a
file with the value, such as a mounted secret. All errors are reported together. This page is generated from the code by \`npm run config-reference\`.

## All programs

${table([
  ...variablesOf(shared[0] ?? '').map((variable) =>
    variable.name === 'TOCSIN_ADMIN_PORT'
      ? {
          ...variable,
          fallback: '7200 gateway, 7201 to 7206 as below',
          meaning: 'Port of /livez, /serving, /readyz and /metrics.',
        }
      : variable,
  ),
  fromReader('TOCSIN_NATS_URL', undefined),
  ...variablesOf(shared[1] ?? '').filter(({ name }) => !/^TOCSIN_(RPC_PORT|DATABASE_CONNECTIONS)$/.test(name)),
])}

All but the gateway have \`TOCSIN_RPC_PORT\` (7101 identity, 7102 monitor, 7103 checker, 7104 disruption, 7105 statuspage, 7106 notifier), and identity has no \`TOCSIN_IDENTITY_URL\`.
All but the checker have a database:

${table([
  fromReader('TOCSIN_DATABASE_URL', undefined),
  fromReader('TOCSIN_OWNER_DATABASE_URL', 'none'),
  fromReader('TOCSIN_MIGRATIONS', 'run'),
  fromReader('TOCSIN_DATABASE_CONNECTIONS', '10, and 16 of monitor and notifier'),
])}

\`TOCSIN_IDENTITY_DATABASE_URL\`, \`TOCSIN_IDENTITY_OWNER_DATABASE_URL\` and so on replace the URLs for one service.

${sections.join('\n\n')}
`;
}

function fromReader(name: string, fallback: string | undefined): Variable {
  return { name, fallback, meaning: meaningOf(name) ?? '' };
}

/**
 * Returns the variables that a source file reads. `elsewhere` are the sources of the interfaces that it extends and of
 * the constants that it uses.
 */
function variablesOf(source: string, elsewhere: readonly string[] = []): Variable[] {
  const sources = [source, ...elsewhere];
  const unique = new Map<string, Variable>();
  for (const call of source.matchAll(/read\.\w+(?=\()/g)) {
    const [first = '', ...others] = argumentsAt(source, call.index + call[0].length);
    const name = /^'(TOCSIN_\w+)'$/.exec(first)?.[1];
    if (!name || unique.has(name)) continue;
    // The call may be nested in another one or multiplied, such as `pageCacheBytes: 1024 * read.integer(…)`.
    const property = /(\w+): (?:[\w_]+ \* )*(?:\w+\()*$/.exec(source.slice(0, call.index))?.[1] ?? '';
    const isOptional = call[0] === 'read.optional';
    const fallback = literalOf(others.at(-1), sources) ?? (isOptional ? 'none' : undefined);
    const provider = /^TOCSIN_(\w+)_URL$/.exec(name)?.[1]?.toLowerCase().replaceAll('_', ' ');
    const described = commentOf(property, sources) || (provider === 'base' ? 'Public URL of the installation.' : '');
    const meaning = meaningOf(name) ?? (described || `API of ${provider}.`);
    unique.set(name, { name, fallback, meaning });
  }
  if (source.includes('`TOCSIN_LIMIT_$')) for (const limit of limits()) unique.set(limit.name, limit);
  return [...unique.values()];
}

async function sourcesIn(folders: readonly string[]): Promise<string[]> {
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => join(root, folder, name))),
  );
  return Promise.all(
    files
      .flat()
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFile(file, 'utf8')),
  );
}

/** Returns the arguments of the call whose opening parenthesis is at `start`. */
function argumentsAt(source: string, start: number): string[] {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (const character of source.slice(start)) {
    if (quote) quote = character === quote ? '' : quote;
    else if (/['"`]/.test(character)) quote = character;
    else if (/[([{]/.test(character)) depth += 1;
    else if (/[)\]}]/.test(character)) depth -= 1;
    if (depth === 0) break;
    if (depth === 1 && !quote && character === ',') parts.push('');
    else if (!(depth === 1 && character === '(')) parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

function limits(): Variable[] {
  return LIMIT_NAMES.map((name) => ({
    name: `TOCSIN_LIMIT_${name.toUpperCase()}`,
    fallback: String(DEFAULT_LIMITS[name]),
    meaning: `Default limit of an organization: ${name.replaceAll('_', ' ')}.`,
  }));
}

/** Returns the value of a literal, or of a constant with a literal value; undefined for anything else. */
function literalOf(expression: string | undefined, sources: readonly string[]): string | undefined {
  if (expression === undefined) return undefined;
  const literal = /^'([^']*)'$|^(\d[\d_]*|true|false)$/.exec(expression);
  if (literal) return (literal[1] ?? literal[2] ?? '').replace(/(?<=\d)_(?=\d)/g, '');
  const nested = /^read\.\w+\(.*, ('.*')\)$/s.exec(expression)?.[1];
  if (nested) return literalOf(nested, sources);
  const url = /^`(.*)`$/.exec(expression)?.[1];
  if (url) return url.replace(/\$\{(\w+)\}/g, '<$1>');
  if (!/^[A-Z][A-Z_]+$/.test(expression)) return undefined;
  const pattern = new RegExp(`const ${expression}(?:: \\w+)? = ('[^']*'|[\\d_]+);`);
  return literalOf(sources.map((source) => pattern.exec(source)?.[1]).find(Boolean), sources);
}

/** Returns the first paragraph of the comment on an interface property. */
function commentOf(property: string, sources: readonly string[]): string {
  for (const source of sources) {
    const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*readonly ${property}\\??:`).exec(source)?.[1];
    if (comment)
      return comment
        .replace(/\n\s*\*/g, ' ')
        .replace(/\s+/g, ' ')
        .trim();
  }
  return '';
}

function table(variables: readonly Variable[]): string {
  const rows = variables.map(({ name, fallback, meaning }) => {
    const shown = fallback === undefined ? '**required**' : fallback === '' ? 'empty' : fallback;
    return `| \`${name}\`${SECRET.test(name) ? ' (secret)' : ''} | ${shown} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

if (process.argv[1] === import.meta.filename) await writeFile(REFERENCE, await configReference());
