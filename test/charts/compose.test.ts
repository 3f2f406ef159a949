import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const file = join(import.meta.dirname, '..', '..', 'deploy', 'compose.yaml');

test('the comment at the top of compose.yaml names every variable without a default', async () => {
  const text = await readFile(file, 'utf8');
  const head = text.slice(0, text.indexOf('name: tocsin'));
  const names =
    /for name in ([A-Z ]+);/
      .exec(head)?.[1]
      ?.split(' ')
      .map((name) => `${name}_SECRET`) ?? [];
  const others = [...head.matchAll(/echo "([A-Z_]+)=/g)].map(([, name]) => name);
  const used = [...text.slice(head.length).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
  expect([...new Set(used)].sort()).toEqual([...names, ...others].sort());
});
