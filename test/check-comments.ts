import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LIMIT = 120;
const COMMENT = /^\s*(\/\/|\/?\*)/;

/**
 * Returns the comment lines that are longer than the formatter's limit, because the formatter does not wrap comments.
 */
export async function checkComments(root: string, files: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(root, file), 'utf8')).split('\n');
      return lines.flatMap((line, index) =>
        line.length > LIMIT && COMMENT.test(line) ? [`${file}:${index + 1}: wrap this comment at ${LIMIT}`] : [],
      );
    }),
  );
  return found.flat();
}
