import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Address } from './host.ts';

/** Minimum milliseconds between two checks of the file's modification time. */
const FRESH_MS = 5_000;

/**
 * Names in a hosts file such as /etc/hosts. The file is reloaded when it has changed. A missing file counts as empty.
 */
export class HostsFile {
  readonly #path: string;
  #addresses: ReadonlyMap<string, readonly Address[]> = new Map();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #modifiedAt = Number.NaN;

  constructor(path: string) {
    this.#path = path;
  }

  async find(hostname: string): Promise<readonly Address[] | undefined> {
    if (performance.now() - this.#checkedAt > FRESH_MS) await this.#refresh();
    return this.#addresses.get(hostname.toLowerCase().replace(/\.$/, ''));
  }

  async #refresh(): Promise<void> {
    this.#checkedAt = performance.now();
    try {
      const { mtimeMs } = await stat(this.#path);
      if (mtimeMs === this.#modifiedAt) return;
      this.#addresses = parseHosts(await readFile(this.#path, 'utf8'));
      this.#modifiedAt = mtimeMs;
    } catch {
      this.#addresses = new Map();
      this.#modifiedAt = Number.NaN;
    }
  }
}

/** Parses lines of the form `<address> <name> [<alias> …]` (hosts(5)). Other lines are ignored. */
export function parseHosts(text: string): Map<string, Address[]> {
  const addresses = new Map<string, Address[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names.map((name) => name.toLowerCase())) {
      addresses.set(name, [...(addresses.get(name) ?? []), { address, family }]);
    }
  }
  return addresses;
}
