import { COMMON_OPTIONS, type Command } from '../command.ts';
import { UsageError } from '../errors.ts';

const SHELLS = { bash, zsh, fish } as const;

/** Returns the command that prints a shell's completion script. `list` returns all commands. */
export function completionCommand(list: () => readonly Command[]): Command {
  return {
    name: 'completion',
    usage: 'bash|zsh|fish',
    args: [1, 1],
    summary: 'Print the completion for a shell',
    examples: [
      'source <(tocsin completion bash)',
      'source <(tocsin completion zsh)',
      'tocsin completion fish > ~/.config/fish/completions/tocsin.fish',
    ],
    async run({ args: [shell = ''], context }) {
      if (!(shell in SHELLS))
        throw new UsageError(`The shell must be bash, zsh or fish, not ${JSON.stringify(shell)}.`);
      context.stdout.write(SHELLS[shell as keyof typeof SHELLS](list()));
      return undefined;
    },
  };
}

/** Maps the preceding words of a command line to the words that can come next. */
function wordsAfter(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map<string, Set<string>>();
  const add = (before: string, word: string) => words.set(before, (words.get(before) ?? new Set()).add(word));
  for (const { name, options = {}, usage = '' } of commands) {
    const parts = name.split(' ');
    for (const [index, part] of parts.entries()) add(parts.slice(0, index).join(' '), part);
    for (const option of Object.keys({ ...options, ...COMMON_OPTIONS })) add(name, `--${option}`);
    if (/^[a-z]+(\|[a-z]+)+$/.test(usage)) for (const word of usage.split('|')) add(name, word);
  }
  return new Map([...words].map(([before, set]) => [before, [...set]]));
}

function bash(commands: readonly Command[]): string {
  const cases = [...wordsAfter(commands)]
    .map(([before, words]) => `    '${before}') words='${words.join(' ')}' ;;\n`)
    .join('');
  return `_tocsin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) case " $(_tocsin_words "$before") " in *" $word "*) before="\${before:+$before }$word" ;; esac ;; esac
  done
  words="$(_tocsin_words "$before")"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
_tocsin_words() {
  local words=''
  case "$1" in
${cases}  esac
  printf '%s' "$words"
}
complete -o filenames -F _tocsin tocsin
`;
}

function zsh(commands: readonly Command[]): string {
  return `autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options = {} }) => {
    const parts = name.split(' ');
    const before = parts.slice(0, -1);
    const last = parts.at(-1) ?? '';
    const seen = before.map((word) => `__fish_seen_subcommand_from ${word}`);
    const condition = before.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
    const here = parts.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    return [
      `complete -c tocsin -n '${condition}' -a ${last} -d '${quoted(summary)}'`,
      ...Object.entries({ ...options, ...COMMON_OPTIONS }).map(
        ([option, { help, type }]) =>
          `complete -c tocsin -n '${here}' -l ${option}${type === 'string' ? ' -r' : ''} -d '${quoted(help)}'`,
      ),
    ];
  });
  const groups = new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])));
  const words = [...groups].map((word) => `complete -c tocsin -n __fish_use_subcommand -a ${word}`);
  return `${[...words, ...lines].join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "\\'");
}
