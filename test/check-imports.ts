import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type ImportRule, importRules } from './import-rules.ts';

const sources = [
  'services/*/src/**/*.ts',
  'gateway/src/**/*.ts',
  'cli/src/**/*.ts',
  'packages/*/src/**/*.ts',
  'proto/**/*.ts',
];

/** Checks the imports of every source file below `root`. Returns a sentence for each forbidden import. */
export async function checkImports(root: string): Promise<string[]> {
  const violations: string[] = [];
  for await (const file of glob(sources, { cwd: root, exclude: (name) => name === 'node_modules' })) {
    violations.push(...violationsIn(file, await readFile(join(root, file), 'utf8')));
  }
  return violations.sort();
}

/** Returns the forbidden imports of one file. Its path is relative to the root. */
export function violationsIn(file: string, source: string): string[] {
  if (/\.test\.ts$|(^|\/)test\//.test(file)) return [];
  const rule = ruleFor(file);
  if (!rule) return [`${file}: no import rule is known for this folder; test/import-rules.ts is to have one`];
  return importsOf(source)
    .filter((specifier) => !isAllowed(file, specifier, rule))
    .map((specifier) => `${file}: may not import ${specifier} (${inWords(rule)})`);
}

function ruleFor(file: string): ImportRule | undefined {
  const fitting = importRules.filter((rule) => matchLength(file, rule.files) > 0);
  return fitting.sort((a, b) => b.files.split('/').length - a.files.split('/').length || preferNamed(a, b))[0];
}

function preferNamed(a: ImportRule, b: ImportRule): number {
  return Number(a.files.includes('*')) - Number(b.files.includes('*'));
}

/** Returns the length of the leading path segments that a pattern matches; 0 if the pattern does not match. */
function matchLength(path: string, pattern: string): number {
  const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
  return new RegExp(`^${expression}(?=/|$)`).exec(path)?.[0].length ?? 0;
}

const importStatement = /^\s*(?:import|export)\b[^'"`;]*\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;

/** Returns all modules that a source imports or re-exports, including type imports. */
function importsOf(source: string): string[] {
  const withoutComments = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...withoutComments.matchAll(importStatement)].map((match) => match[1] ?? match[2] ?? '');
}

function isAllowed(file: string, specifier: string, rule: ImportRule): boolean {
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(file), specifier));
    const home = file.slice(0, matchLength(file, rule.within));
    return rule.own.some((path) => matchLength(target, path === '' ? home : `${home}/${path}`) > 0);
  }
  if (specifier.startsWith('@tocsin/')) return rule.workspace.some((name) => matchLength(specifier, name) > 0);
  return rule.external;
}

function inWords({ files, own, workspace, external }: ImportRule): string {
  const folders = own.map((path) => (path === '' ? 'its own folder' : path));
  const packages = external ? [...workspace, 'installed packages'] : workspace;
  return `${files} may import ${[...folders, ...packages].join(', ') || 'nothing'}`;
}
