import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkComments } from './check-comments.ts';

test('comment lines over 120 characters are reported, and other long lines are not', async () => {
  const root = await mkdtemp(join(tmpdir(), 'comments-'));
  try {
    const long = 'x'.repeat(118);
    await writeFile(join(root, 'a.ts'), [`// ${long}`, `const a = '${long}';`, ` * ${long}`, '// short'].join('\n'));
    expect(await checkComments(root, ['a.ts'])).toEqual([
      'a.ts:1: wrap this comment at 120',
      'a.ts:3: wrap this comment at 120',
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
