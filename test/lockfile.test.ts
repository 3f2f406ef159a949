import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

test('the lockfile has a SHA-512 digest for every package, and all packages are from the registry', () => {
  const lockfile = parse(readFileSync(join(import.meta.dirname, '..', 'pnpm-lock.yaml'), 'utf8')) as {
    packages: Record<string, { resolution: { integrity?: string; tarball?: string; repo?: string } }>;
  };
  const packages = Object.entries(lockfile.packages);
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter(
    ([, { resolution }]) =>
      !/^sha512-[\w+/]{86}==$/.test(resolution.integrity ?? '') || resolution.tarball || resolution.repo,
  );
  expect(others.map(([name]) => name)).toEqual([]);
});
