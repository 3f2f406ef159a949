import { copyFileSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';

const largestLog = 10 * 1024 * 1024;

/**
 * Copies a log of more than 10 MB to `<name>.1`, replacing the previous copy, and empties it. Processes that append to
 * the log are not affected.
 */
export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= largestLog) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** Returns the last lines of a file of any size. */
export async function lastLines(path: string, count: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 16 * 1024);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    await file.close();
  }
}
