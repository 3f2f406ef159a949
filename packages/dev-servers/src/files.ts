import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { codeOf, Problem } from './problem.ts';

/** Replaces a file atomically: a reader sees the old content or the new one. */
export async function writeFileAtomically(path: string, content: string, mode: number): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export async function writeJson(path: string, value: unknown, mode: number): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`, mode);
}

/** Returns the object in a JSON file; undefined if the file does not exist. */
export async function readJson(path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // The error is reported below, with the name of the file.
  }
  throw new Problem(
    `${path} should hold a JSON object, but does not. Restore it, or delete it: a new one is then created.`,
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
