import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from './guides.ts';

const ROOT = join(import.meta.dirname, '..');

test('codeBlocks() returns the language, code, file and first line of a block', () => {
  expect(codeBlocks('text\n\n```js file=a.mjs\nlet a;\n\nlet b;\n```\n')).toEqual([
    { language: 'js', code: 'let a;\n\nlet b;', file: 'a.mjs', notRun: undefined, line: 4 },
  ]);
});

test('codeBlocks() throws if a no-run block has no reason or a block has no end', () => {
  expect(codeBlocks('```sh no-run reason="a crontab"\nx\n```')[0]?.notRun).toBe('a crontab');
  expect(() => codeBlocks('```sh no-run\nx\n```')).toThrow('line 1: no-run needs reason="…"');
  expect(() => codeBlocks('a\n```sh\nx')).toThrow('line 2: the code block has no end');
});

test.each(['README.md', 'docs/command-line.md', 'docs/grpc.md', 'docs/oauth.md', ...markdownIn('docs/guides')])(
  'each code block of %s is run, is written to a file, or says why it is not run',
  (document) => {
    const blocks = codeBlocks(readFileSync(join(ROOT, document), 'utf8'));
    const unclear = blocks.filter(({ language, file, notRun }) => language !== 'sh' && !file && !notRun);
    expect(unclear.map(({ language, line }) => `${language} in line ${line}`)).toEqual([]);
  },
);

const documents = ['README.md', 'CONTRIBUTING.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}

test.each(documents)('the links of %s lead to files and headings that exist', (document) => {
  const missing = [
    ...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(#[^)\s]*)?\)/g),
  ]
    .map(([, path = '', anchor = '']) => ({ path: path ? join(dirname(document), path) : document, anchor }))
    .filter(({ path, anchor }) => !existsSync(join(ROOT, path)) || !hasHeading(path, anchor.slice(1)));
  expect(missing).toEqual([]);
});

/** Returns whether a Markdown file has a heading for which GitHub generates this anchor. */
function hasHeading(path: string, anchor: string): boolean {
  if (!anchor || !path.endsWith('.md')) return true;
  const headings = readFileSync(join(ROOT, path), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].some(([, text = '']) => anchorOf(text) === anchor);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
