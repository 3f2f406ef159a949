import { parseArgs } from 'node:util';
import program from '../package.json' with { type: 'json' };
import { findBaseUrl, openClient } from './api/session.ts';
import { type Call, COMMON_OPTIONS, type Command } from './command.ts';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { CliError, EXIT, type ExitCode, RefusedError, UsageError } from './errors.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { get } from './json.ts';

/** Runs a command line and returns the exit code. Errors are printed to stderr. */
export async function run(args: readonly string[], context: Context): Promise<ExitCode> {
  try {
    return (await dispatch(args, context)) ?? EXIT.ok;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.stderr.write(`${describe(error)}\n`);
    if (error instanceof UsageError && error.help !== '') context.stderr.write(`\n${error.help}`);
    return error.exitCode;
  }
}

async function dispatch(args: readonly string[], context: Context): Promise<ExitCode | undefined> {
  const command = commands
    .filter(({ name }) => name === args.slice(0, name.split(' ').length).join(' '))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (command) return start(command, args.slice(command.name.split(' ').length), context);
  const [word = ''] = args;
  const group = commands.filter(({ name }) => name.startsWith(`${word} `));
  if (args.length === 1 && ['--version', '-V', 'version'].includes(word)) {
    return printed(context, `${program.name} ${program.version}\n`);
  }
  const wantsHelp = args.length === 0 || args.includes('--help') || args.includes('-h') || word === 'help';
  if (group.length > 0) {
    if (args.length === 1 || wantsHelp) return printed(context, groupHelp(word, group));
    throw new UsageError(`There is no command "${args.slice(0, 2).join(' ')}".`, groupHelp(word, group));
  }
  if (wantsHelp) return printed(context, overview(commands));
  throw new UsageError(
    `There is no command "${word}". "tocsin --help" lists all commands; those of operators are in "npm run admin".`,
  );
}

async function start(command: Command, args: readonly string[], context: Context): Promise<ExitCode | undefined> {
  const help = commandHelp(command);
  const { values, positionals } = parsed(command, args, help);
  if (values.help) return printed(context, help);
  const [least, most] = command.args ?? [0, 0];
  if (positionals.length < least) throw new UsageError(`"tocsin ${command.name}" needs ${command.usage}.`, help);
  if (positionals.length > most) throw new UsageError(`There are too many arguments: ${positionals[most]}.`, help);
  const value = (option: string) => values[option];
  const url = () => (typeof values.url === 'string' ? values.url : undefined);
  const call: Call = {
    context,
    args: positionals,
    text: (option) => (typeof value(option) === 'string' ? String(value(option)) : undefined),
    texts: (option) => [value(option) ?? []].flat().map(String),
    has: (option) => value(option) === true,
    client: () => openClient(url(), context),
    baseUrl: () => findBaseUrl(url(), context),
  };
  return command.run(call);
}

function parsed({ options = {} }: Command, args: readonly string[], help: string) {
  try {
    const all = Object.entries({ ...options, ...COMMON_OPTIONS }).map(
      ([name, { type, short, multiple = false }]) => [name, { type, multiple, ...(short && { short }) }] as const,
    );
    return parseArgs({ args: [...args], options: Object.fromEntries(all), allowPositionals: true });
  } catch (error) {
    if (!String(get(error, 'code')).startsWith('ERR_PARSE_ARGS')) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error), help);
  }
}

function printed({ stdout }: Context, text: string): undefined {
  stdout.write(text);
}

/** Returns the message of an error, with one line per invalid field. */
function describe(error: CliError): string {
  if (!(error instanceof RefusedError)) return error.message;
  const fields = Object.entries(error.fields).map(([field, reasons]) => `  ${field} ${reasons.join('; ')}`);
  const hint = error.status === 401 ? ['Sign in with: tocsin login'] : [];
  return [`Refused (${error.status}): ${error.message}`, ...(fields.length > 5 ? fields : []), ...hint].join('\n');
}
