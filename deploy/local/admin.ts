import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { ConnectError } from '@connectrpc/connect';
import { isRecord, readJson } from '@tocsin/dev-servers/files';
import { codeOf, messageOf, Problem } from '@tocsin/dev-servers/problem';
import { fromConnectError, ServiceError } from '@tocsin/errors';
import { createRuntime, openTls } from '@tocsin/runtime';
import type { AdminAccess } from './admin-client.ts';
import { type Command, commands } from './admin-commands.ts';
import { readBootstrap } from './bootstrap-file.ts';
import { dataFolderOf } from './data-folder.ts';
import { secretsFile } from './secrets.ts';

/** Thrown for an invalid command line. The message is printed with `help`, the help of the command. */
class UsageError extends Error {
  readonly help: string;

  constructor(message: string, help: string) {
    super(message);
    this.help = help;
  }
}

const overview = `Usage: npm run --silent admin -- COMMAND

${Object.values(commands)
  .map(({ usage }) => `  ${usage}`)
  .join('\n')}

Each prints one JSON object, but for replay, which prints a text, and export, which prints many. COMMAND --help says more.

It speaks to the installation that runs on this machine: TOCSIN_DATA_DIR says where its data is (.data).
For another one set TOCSIN_IDENTITY_URL, TOCSIN_MONITOR_URL and TOCSIN_SERVICE_SECRET, the secret of the caller "admin".
`;

async function main(args: readonly string[]): Promise<string> {
  const [first = ''] = args;
  const name = first in commands ? first : args.slice(0, 2).join(' ');
  const command = commands[name];
  if (command === undefined) {
    if (args.length === 0 || args.includes('--help') || args.includes('-h')) return overview;
    throw new UsageError(`There is no command ${JSON.stringify(name)}.`, overview);
  }
  const help = `Usage: npm run --silent admin -- ${command.usage}\n\n${command.help}\n`;
  const values = parse(command, args.slice(name.split(' ').length), help);
  if (values === 'help') return help;
  const access = command.needsNoServer ? { identityUrl: '', secret: '' } : await openAccess(process.env);
  const response = await command.run((option) => values[option] ?? '', access);
  if (typeof response === 'object' && Symbol.asyncIterator in response) {
    await pipeline(Readable.from(response), process.stdout, { end: false });
    return '';
  }
  return typeof response === 'string' ? response : `${JSON.stringify(response)}\n`;
}

function parse(command: Command, args: string[], help: string): Record<string, string> | 'help' {
  const names = [...command.options, ...(command.optional ?? [])];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (values.help) return 'help';
    const all: Readonly<Record<string, unknown>> = values;
    const given: Record<string, string> = {};
    for (const option of names) {
      const value = all[option];
      if (value === undefined && !command.options.includes(option)) continue;
      if (typeof value !== 'string' || value === '') throw new UsageError(`--${option} is missing.`, help);
      given[option] = value;
    }
    return given;
  } catch (error) {
    throw codeOf(error)?.startsWith('ERR_PARSE_ARGS') ? new UsageError(messageOf(error), help) : error;
  }
}

/** Returns the addresses of the services, the operator's secret, and the certificates for TLS between services. */
async function openAccess(env: NodeJS.ProcessEnv): Promise<AdminAccess> {
  const folder = env.TOCSIN_TLS_DIR || undefined;
  return { ...(await findAccess(env)), tls: await openTls({ folder, runtime: createRuntime('admin') }) };
}

async function findAccess(env: NodeJS.ProcessEnv): Promise<AdminAccess> {
  const scheme = env.TOCSIN_TLS_DIR ? 'https' : 'http';
  // In the container of identity, and in the container of all programs, TOCSIN_SERVICE_SECRETS contains the operator's
  // secret. TOCSIN_SERVICE_SECRET can't be used there, because it is identity's secret.
  const own = /(?:^|,)admin:([^,]+)/.exec(env.TOCSIN_SERVICE_SECRETS ?? '')?.[1];
  if (own !== undefined) {
    const identityUrl = `${scheme}://127.0.0.1:${env.TOCSIN_RPC_PORT || env.TOCSIN_FIRST_PORT || 7101}`;
    return { identityUrl, monitorUrl: env.TOCSIN_MONITOR_URL, secret: own };
  }
  if (env.TOCSIN_IDENTITY_URL && env.TOCSIN_SERVICE_SECRET) {
    const { TOCSIN_IDENTITY_URL: identityUrl, TOCSIN_MONITOR_URL: monitorUrl } = env;
    return { identityUrl, monitorUrl, secret: env.TOCSIN_SERVICE_SECRET };
  }
  const dataDir = dataFolderOf(env, join(import.meta.dirname, '..', '..'));
  const { grpc } = await readBootstrap(dataDir);
  const services = (await readJson(secretsFile(dataDir)))?.services;
  const secret = isRecord(services) ? services.admin : undefined;
  if (grpc?.identity === undefined || typeof secret !== 'string') {
    throw new Problem(`There is no installation in ${dataDir}: start it with npm start, or set TOCSIN_DATA_DIR.`);
  }
  return { identityUrl: `${scheme}://${grpc.identity}`, monitorUrl: `${scheme}://${grpc.monitor}`, secret };
}

function explain(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal?.kind === 'unavailable') {
    return `The service can't be reached (${refusal.message}). Does Tocsin run? npm start starts it.`;
  }
  if (refusal !== undefined) {
    const fields = Object.entries(refusal.fields).map(([field, reasons]) => `${field} ${reasons.join(', ')}`);
    return `Refused: ${fields.length > 0 ? fields.join('; ') : refusal.message}`;
  }
  if (error instanceof Problem) return error.message;
  if (codeOf(error) === 'EACCES') return `${messageOf(error)}: run this as the user who started Tocsin.`;
  return error instanceof Error && error.stack ? error.stack : String(error);
}

/**
 * Returns the error with which a service responded; undefined for other errors. Connect's clients wrap the error once
 * for each nested call.
 */
function refusalIn(error: unknown): ServiceError | undefined {
  if (!(error instanceof ConnectError) && !(error instanceof ServiceError)) return undefined;
  return refusalIn(error.cause) ?? fromConnectError(error);
}

main(process.argv.slice(2)).then(
  // The process exits explicitly, because open connections to the services would keep it alive.
  (text) => process.stdout.write(text, () => process.exit(0)),
  (error: unknown) => {
    const usage = error instanceof UsageError;
    const text = usage ? `${error.message}\n\n${error.help}` : `${explain(error)}\n`;
    process.stderr.write(text, () => process.exit(usage ? 2 : 1));
  },
);
