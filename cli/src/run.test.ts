import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../test/harness.ts';
import { COMMON_OPTIONS } from './command.ts';
import { commands } from './commands/index.ts';

const env = { TOCSIN_CONFIG_DIR: '/nonexistent' };

test('every command has help with its usage and examples', async () => {
  for (const { name, examples } of commands) {
    const { code, stdout } = await runCommand([...name.split(' '), '--help'], env);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: tocsin ${name}`);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example).toContain(`tocsin ${name}`);
      expect(stdout).toContain(example);
    }
  }
});

test('every command line in the documentation uses a command and options that exist', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');
  const lines = [...text.matchAll(/(?:^|\$\(|<\(|\| )tocsin ([^\n#|)]*)/gm)].map(([, line = '']) => line.trim());
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) {
    const command = commands
      .filter(({ name }) => line === name || line.startsWith(`${name} `))
      .sort((a, b) => b.name.length - a.name.length)[0];
    expect(command, line).toBeDefined();
    const known = Object.entries({ ...command?.options, ...COMMON_OPTIONS });
    const spelled = known.flatMap(([name, { short }]) => [`--${name}`, `-${short}`]);
    for (const [option] of line.matchAll(/(?<= )--?[a-z][a-z-]*/g)) expect(spelled, line).toContain(option);
  }
});

test('the version command and options print the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  for (const word of ['--version', '-V', 'version']) {
    expect(await runCommand([word], env)).toMatchObject({ code: 0, stdout: `tocsin ${version}\n` });
  }
});

test('the overview lists all commands and exit codes', async () => {
  for (const args of [[], ['--help'], ['help']]) {
    const { code, stdout } = await runCommand(args, env);
    expect(code).toBe(0);
    for (const { name } of commands) expect(stdout).toContain(`  ${name} `);
    expect(stdout).toContain('4  not signed in');
  }
});

test.each([
  [['nonsense'], 'There is no command "nonsense"'],
  [['monitors', 'nonsense'], 'There is no command "monitors nonsense"'],
  [['monitors', 'list', '--nonsense'], 'nonsense'],
  [['monitors', 'list', 'extra'], 'too many arguments: extra'],
  [['monitors', 'get'], 'needs NAME|ID'],
  [['monitors', 'create'], 'No field is given'],
  [['apply'], 'Add -f status.yaml'],
  [['login'], 'Add --url'],
  [['login', '--url', 'example.com'], 'is not a URL of an installation'],
  [['completion', 'csh'], 'must be bash, zsh or fish'],
])('the invalid command line %j prints the reason and exits with code 2', async (args, message) => {
  const { code, stdout, stderr } = await runCommand(args, env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('without an installation or a credential, a command exits with code 4 and says how to sign in', async () => {
  const without = await runCommand(['monitors', 'list'], env);
  expect(without).toMatchObject({ code: 4, stderr: expect.stringContaining('tocsin login --url') });
  const ran = await runCommand(['monitors', 'list', '--url', 'https://tocsin.example.com/'], env);
  expect(ran).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('tocsin login --url https://tocsin.example.com'),
  });
});
