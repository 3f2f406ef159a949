/** A code block in a guide. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** Name of the file that contains the code; undefined for code that is run. */
  readonly file: string | undefined;
  /** Why the block is not run; undefined if it is run. */
  readonly notRun: string | undefined;
  /** Line number of the block's first line. */
  readonly line: number;
}

const FENCE = /^```(\w*)(.*)$/;

/**
 * Returns the code blocks of a Markdown text. The words after a fence's language say what to do with the block:
 * `file=<name>` writes it to a file, and `no-run reason="…"` skips it.
 * @throws Error if a block is not run and no reason is given.
 */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { language: string; words: string; line: number; code: string[] } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    if (open && text === '```') {
      const { language, words, line, code } = open;
      const notRun = /no-run reason="([^"]+)"/.exec(words)?.[1];
      if (words.includes('no-run') && !notRun) throw new Error(`line ${line}: no-run needs reason="…"`);
      blocks.push({ language, code: code.join('\n'), file: /file=(\S+)/.exec(words)?.[1], notRun, line: line + 1 });
      open = undefined;
    } else if (open) open.code.push(text);
    else {
      const [, language = '', words = ''] = FENCE.exec(text) ?? [];
      if (text.startsWith('```')) open = { language, words, line: index + 1, code: [] };
    }
  }
  if (open) throw new Error(`line ${open.line}: the code block has no end`);
  return blocks;
}
