import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Memory of a process and all that it started, without what they share with each other's programs; 0 where /proc is
 * not.
 */
export function residentBytesOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + residentBytes(member), 0);
}

/** Anonymous and shared memory that a process really uses; 0 when it is gone, or where /proc is not. */
export function residentBytes(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].reduce((sum, [, kb]) => sum + Number(kb) * 1024, 0);
}

/** A process and everything below it, the parents first. */
export function treeOf(root: number): number[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Ends a process and everything below it, at once. */
export function killTree(root: number): void {
  for (const pid of treeOf(root)) kill(pid);
}

/** Kills every process whose working directory is a folder, orphans included. */
export function killWithin(folder: string): void {
  for (const { pid } of processes()) {
    if (pid !== process.pid && folderOf(pid) === folder) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
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
      // The second field is a name in brackets, which may hold anything.
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
