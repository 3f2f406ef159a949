import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the files that the commands of the documentation write, such as `tocsin-secret.json`. */
function writtenFiles(): string[] {
  const documents = [...globSync('docs/**/*.md', { cwd: ROOT }), 'deploy/compose.yaml'];
  const texts = documents.map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const files = texts.flatMap((text) =>
    [...text.matchAll(/> ([\w./-]+\.(?:json|env|dump|key))$/gm)].map(([, file]) => file),
  );
  return [...new Set(files.filter((file) => file !== undefined))];
}

/** Returns the patterns of an ignore file. */
function patternsOf(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

test.each(writtenFiles())('the documentation writes %s, which gets neither into the image nor into Git', (file) => {
  const [first, ...others] = patternsOf('.dockerignore');
  expect(first).toBe('*');
  const allowed = others.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  expect(allowed.filter((path) => file === path || (file.startsWith(`${path}/`) && path !== 'deploy'))).toEqual([]);
  const ignored = patternsOf('.gitignore').map((pattern) =>
    pattern.startsWith('/') ? pattern.slice(1) : `**/${pattern}`,
  );
  expect(ignored.some((pattern) => matchesGlob(file, pattern))).toBe(true);
});

test('the documentation writes the secrets of an installation into files', () => {
  expect(writtenFiles()).toEqual(expect.arrayContaining(['deploy/.env', 'tocsin-secret.json', 'tocsin.dump']));
});
