import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkLanguage } from './check-language.ts';

const cases: readonly (readonly [name: string, file: string, content: string, problems: readonly string[]])[] = [
  ['a text', 'a.md', '# A\n\nThe check runs anew.\n', ['a.md:3: write again instead of "anew"']],
  ['a phrase over two lines', 'a.md', 'The service is\naway.\n', []],
  [
    'two words',
    'a.md',
    'NATS is away, so many wait.',
    ['a.md:1: write unavailable instead of "is away"', 'a.md:1: write at most N, the limit instead of "so many"'],
  ],
  ['code in a text', 'a.md', 'Call `wish()`.\n\n```sh\ntell me\n```\n', []],
  [
    'a line comment',
    'a.ts',
    'const house = 1; // It was told.\n',
    ['a.ts:1: write report, publish, say instead of "told"'],
  ],
  [
    'a block comment',
    'a.ts',
    'f();\n/**\n * Forgets a value.\n */\n',
    ['a.ts:3: write delete, remove instead of "Forgets"'],
  ],
  ['code and addresses', 'a.ts', "const wish = 'https://told.example'; fact();\n", []],
  ['a message', 'a.ts', "throw new Error('the server is away');\n", ['a.ts:1: write unavailable instead of "is away"']],
  ['a word that only contains one', 'a.md', 'Factor, artefact, household', []],
  ['an exception', 'CONTRIBUTING.md', 'Not: anew.', []],
];

test.each(cases)('checkLanguage() reports exactly the disallowed words in %s', async (_, file, content, problems) => {
  const root = await mkdtemp(join(tmpdir(), 'language-'));
  try {
    await writeFile(join(root, file), content);
    expect(await checkLanguage(root, [file])).toEqual(problems);
  } finally {
    await rm(root, { recursive: true });
  }
});
