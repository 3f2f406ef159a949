import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runCommand } from '../../test/harness.ts';

const { stdout: bash } = await runCommand(['completion', 'bash'], {});

/** Returns the completions that bash offers for the last word of a command line. */
function offered(...words: string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const script = `${bash}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _tocsin; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: import.meta.dirname })
    .trim()
    .split('\n');
}

test.each([
  [['tocsin', 'mon'], ['monitors']],
  [
    ['tocsin', 'maintenance', ''],
    ['start', 'end'],
  ],
  [['tocsin', 'monitors', 'li'], ['list']],
  [['tocsin', 'plan', '--ex'], ['--exit-code']],
  [['tocsin', 'plan', '-f', 'f.yaml', '--ex'], ['--exit-code']],
  [['tocsin', 'completion', 'f'], ['fish']],
  [['tocsin', 'apply', '-f', 'completion.test'], ['completion.test.ts']],
])('bash completes %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test('the zsh script uses the bash functions, and the fish script has a line for each command and option', async () => {
  const zsh = await runCommand(['completion', 'zsh'], {});
  expect(zsh.stdout).toContain('bashcompinit');
  expect(zsh.stdout).toContain('complete -o filenames -F _tocsin tocsin');
  const fish = await runCommand(['completion', 'fish'], {});
  expect(fish.stdout).toContain("complete -c tocsin -n '__fish_use_subcommand' -a apply");
  expect(fish.stdout).toMatch(/__fish_seen_subcommand_from plan' -l exit-code -d/);
});
