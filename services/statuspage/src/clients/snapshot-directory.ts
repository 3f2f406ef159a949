import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { SnapshotStore } from '../app/ports.ts';

const TEMPORARY = /^\.tocsin-[\w-]+\.tmp$/;

/**
 * Stores snapshots in a directory. A file is written under a temporary name and then renamed, so readers never see a
 * partial file.
 */
export function snapshotDirectory(root: string): SnapshotStore {
  return {
    async list() {
      await mkdir(root, { recursive: true });
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      // A process that was killed may have left temporary files.
      const leftovers = files.filter(({ name }) => TEMPORARY.test(name));
      for (const { parentPath, name } of leftovers) await rm(join(parentPath, name), { force: true });
      return files.map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'));
    },
    async write(key, { body }) {
      const path = join(root, key);
      await mkdir(dirname(path), { recursive: true });
      const temporary = join(root, `.tocsin-${randomUUID()}.tmp`);
      await writeFile(temporary, body);
      await rename(temporary, path);
    },
    async delete(key) {
      await rm(join(root, key), { force: true });
      await removeEmpty(root, dirname(join(root, key)));
    },
  };
}

/** Removes a directory and its parents below the root if they are empty. */
async function removeEmpty(root: string, directory: string): Promise<void> {
  if (relative(root, directory) === '') return;
  try {
    await rmdir(directory);
  } catch {
    return;
  }
  await removeEmpty(root, dirname(directory));
}
