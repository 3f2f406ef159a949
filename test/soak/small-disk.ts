import { execFile } from 'node:child_process';
import { mkdir, statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A separate file system in memory that can be filled. */
export interface SmallDisk extends AsyncDisposable {
  /** Removes all free space. */
  fill(): Promise<void>;
  /** Restores the free space. */
  empty(): Promise<void>;
}

const SIZE = '4g';

/**
 * Mounts a disk on a folder. Only root may do that.
 * @throws Error if this process is not root.
 */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  if (process.getuid?.() !== 0) throw new Error('only root can mount the disks that this soak fills: run it as root');
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tocsin-soak', folder]);
  const resize = (size: string) => run('mount', ['-o', `remount,size=${size}`, folder]);
  return {
    async fill() {
      // The kernel refuses a size below the used space, and the used space may have grown since it was read.
      for (let attempt = 1; ; attempt += 1) {
        const { blocks, bfree, bsize } = await statfs(folder);
        try {
          return void (await resize(String((blocks - bfree) * bsize)));
        } catch (error) {
          if (attempt === 20) throw error;
        }
      }
    },
    async empty() {
      await resize(SIZE);
    },
    async [Symbol.asyncDispose]() {
      await run('umount', ['--lazy', folder]);
    },
  };
}
