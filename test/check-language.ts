import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Patterns for the words that the glossary in CONTRIBUTING replaces, and what to write instead. */
const GLOSSARY: readonly (readonly [pattern: string, instead: string])[] = [
  ['told|tells?|telling', 'report, publish, say'],
  ['hears?|heard|hearing', 'consume'],
  ['praise[sd]?|blame[sd]?|mend(?:s|ed|ing)?|excuse[sd]?', 'recordSuccess, recordFailure, markHealthy'],
  ['insist\\w*|patien(?:t|ce|tly)', 'retry, retryUntil'],
  ['wish(?:es|ed)?', 'options, input'],
  ['wr(?:ite|ites|ote|itten|iting) down', 'save, record'],
  ['forg[eo]t\\w*', 'delete, remove'],
  ['silence[sd]?', 'missed rounds, staleness'],
  ['anew|afresh', 'again'],
  ['so many', 'at most N, the limit'],
  ['(?:is|are|be|was|were|been) away', 'unavailable'],
  ['houses?', 'fixture'],
  ['doubt(?:s|ed|ing)?', 'connectivity guard'],
  ['facts?', 'event'],
];

const WORD = new RegExp(`\\b(?:${GLOSSARY.map(([pattern]) => `(${pattern})`).join('|')})\\b`, 'gi');

/** Files that list the replaced words, or in which a replaced word is a fixed term. */
const EXCEPTIONS = [
  // The glossary itself.
  /^CONTRIBUTING\.md$/,
  /^test\/check-language(\.test)?\.ts$/,
  // This file queries the table `silence`.
  /^services\/monitor\/src\/storage\/history\/run-store\.ts$/,
  // This test says that users of screen readers hear texts.
  /^services\/statuspage\/test\/languages\.test\.ts$/,
];

/**
 * Returns the places where files use a word that the glossary replaces: in Markdown, comments and messages, but not in
 * code within them.
 */
export async function checkLanguage(root: string, files: readonly string[]): Promise<string[]> {
  const read = files.filter((file) => !EXCEPTIONS.some((exception) => exception.test(file)));
  const found = await Promise.all(
    read.map(async (file) => {
      const content = await readFile(join(root, file), 'utf8');
      const text = file.endsWith('.md') ? withoutCode(withoutCodeBlocks(content)) : onlyTexts(content);
      return wordsIn(text).map((problem) => `${file}:${problem}`);
    }),
  );
  return found.flat();
}

function wordsIn(text: string): string[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index, ...groups }) => {
    const line = text.slice(0, index).split('\n').length;
    const which = GLOSSARY.findIndex((_, at) => groups[at + 1] !== undefined);
    return `${line}: write ${GLOSSARY[which]?.[1]} instead of "${word}"`;
  });
}

/** Replaces everything but line breaks with spaces, so that line numbers stay the same. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function withoutCode(text: string): string {
  return text.replace(/`[^`\n]*`/g, blank);
}

function withoutCodeBlocks(markdown: string): string {
  return markdown.replace(/^ *```.*?^ *```$/gms, blank);
}

/** Matches a comment, or a quoted text on one line that contains a space. */
const TEXTS = /^[ \t]*\/\*.*?\*\/|(?<=^|[ \t])\/\/.*?$|'[^'\n]* [^'\n]*'|"[^"\n]* [^"\n]*"|`[^`\n]* [^`\n]*`/gms;

function onlyTexts(code: string): string {
  let text = '';
  let end = 0;
  for (const { 0: part, index } of code.matchAll(TEXTS)) {
    const isComment = /^\s*\//.test(part);
    text += blank(code.slice(end, index)) + (isComment ? withoutCode(part) : part);
    end = index + part.length;
  }
  return text;
}
