import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Returns the resident memory of a process and its descendants, in bytes. Memory mapped from files, such as program
 * code, does not count. Returns 0 on systems without /proc.
 */
export function residentBytesOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + residentBytes(member), 0);
}

/** Returns the resident memory of a process without file mappings; 0 if the process has ended or there is no /proc. */
export function residentBytes(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].reduce((sum, [, kb]) => sum + Number(kb) * 1024, 0);
}

/** Returns a process and its descendants, parents first. */
export function treeOf(root: number): number[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Kills a process and its descendants. */
export function killTree(root: number): void {
  for (const pid of treeOf(root)) kill(pid);
}

/** Kills all processes whose working directory is the folder, including orphans. */
export function killWithin(folder: string): void {
  for (const { pid } of processes()) {
    if (pid !== process.pid && folderOf(pid) === folder) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function processes(): { pid: number; parent: number }[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      // The second field is the name of the process in parentheses. It may contain any characters, so parsing starts
      // after the last parenthesis.
      const [, parent] = read(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ') ?? [];
      return { pid: Number(name), parent: Number(parent) };
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
