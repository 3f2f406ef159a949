import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A folder that is removed when the test is over, and that PostgreSQL's own user gets through. */
export async function scratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(inject('runFolder'), 'scratch-'));
  await chmod(path, 0o711);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
