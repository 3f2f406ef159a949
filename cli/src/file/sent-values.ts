import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { get, isObject, type Json, type JsonObject, textOf } from '../json.ts';
import { readJsonFile, settingsFolder, writeJsonFile } from '../settings.ts';

/**
 * Record of the secret values that were sent to an installation. The API does not return these values, so without the
 * record `apply` could not know whether they are up to date. Only salted hashes are stored.
 */
export interface SentValues {
  /** Returns whether these values were sent for the resource, and the resource has not changed since then. */
  has(resource: JsonObject, values: JsonObject): boolean;
  add(resource: JsonObject, values: JsonObject): void;
  save(): Promise<void>;
}

interface Entry {
  readonly salt: string;
  readonly hash: string;
  /** `updated_at` of the resource after the values were sent. */
  readonly updatedAt: string;
}

/** Opens the record. All installations share one file, because ids are unique across installations. */
export async function openSentValues(env: NodeJS.ProcessEnv): Promise<SentValues> {
  const file = join(settingsFolder(env), 'sent.json');
  const content = await readJsonFile(file);
  const entries: Record<string, Entry> = Object.fromEntries(
    Object.entries(isObject(content) ? content : {}).map(([id, entry]) => [
      id,
      {
        salt: textOf(get(entry, 'salt')),
        hash: textOf(get(entry, 'hash')),
        updatedAt: textOf(get(entry, 'updatedAt')),
      },
    ]),
  );
  let changed = false;
  return {
    has({ id, updated_at }, values) {
      const entry = entries[textOf(id)];
      return entry !== undefined && entry.updatedAt === updated_at && entry.hash === hashOf(entry.salt, values);
    },
    add({ id, updated_at }, values) {
      const salt = randomBytes(16).toString('hex');
      entries[textOf(id)] = { salt, hash: hashOf(salt, values), updatedAt: textOf(updated_at) };
      changed = true;
    },
    async save() {
      if (changed) await writeJsonFile(file, entries);
      changed = false;
    },
  };
}

function hashOf(salt: string, values: JsonObject): string {
  return createHash('sha256')
    .update(salt + JSON.stringify(sorted(values)))
    .digest('hex');
}

/** Returns the value with sorted keys, so that the order in the file does not matter. */
function sorted(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value ?? null;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
