import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../packages/dev-servers/test/scratch-folder.ts';
import { openSecrets } from '../secrets.ts';
import { startSetUp } from '../set-up.ts';

test('the set-up program stores its compiled sources when it ends', async () => {
  await using scratch = await scratchFolder();
  const compiled = join(scratch.path, 'compiled');
  {
    await using setUp = startSetUp(compiled);
    // The program responds as soon as it has loaded its modules.
    const preparing = setUp.prepareDatabases('postgres://user@127.0.0.1:1/none', await openSecrets(scratch.path));
    await expect(preparing).rejects.toThrow("can't be prepared");
  }
  const files = await readdir(compiled, { recursive: true });
  expect(files.length).toBeGreaterThan(100);
});
