import { COMMON_OPTIONS, type Command, type Option } from './command.ts';

const ENVIRONMENT = `Environment:
  TOCSIN_URL         URL of the installation
  TOCSIN_API_KEY     API key; without it, the credential of "tocsin login" is used
  TOCSIN_CONFIG_DIR  Folder of the settings; default: ~/.config/tocsin

Exit codes:
  0  success
  1  the API refused the request
  2  invalid command line or file
  3  the installation can't be reached
  4  not signed in
  5  what was waited or asked for is not so: "wait-up" timed out, a check failed, "plan --exit-code" found changes
`;

/** Returns the help for all commands. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
  return `Usage: tocsin COMMAND [OPTIONS]\n\nCommands:\n${lines}\n"tocsin COMMAND --help" shows options and examples, and "tocsin --version" the version.\n\n${ENVIRONMENT}`;
}

/** Returns the help for the commands whose name begins with `word`, such as `monitors`. */
export function groupHelp(word: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
  return `Usage: tocsin ${word} COMMAND [OPTIONS]\n\nCommands:\n${lines}`;
}

/** Returns the help for a command. */
export function commandHelp({ name, usage, summary, details, options = {}, examples }: Command): string {
  const shown = Object.entries({ ...options, ...COMMON_OPTIONS }).map(
    ([option, spec]) => [spelled(option, spec), spec.help] as const,
  );
  const width = Math.max(...shown.map(([text]) => text.length));
  const list = shown.map(([text, help]) => `  ${text.padEnd(width)}  ${help}\n`).join('');
  return [
    `Usage: tocsin ${name}${usage ? ` ${usage}` : ''} [OPTIONS]\n\n${summary}.\n`,
    details ? `${details}\n` : '',
    `Options:\n${list}`,
    `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function spelled(name: string, { short, type, value = 'VALUE' }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` ${value}` : ''}`;
}
