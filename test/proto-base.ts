import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Commit with the protobuf files that the current files must be compatible with. */
export interface ProtoBase {
  readonly commit: string;
  /** Description of the commit for the output of the verification step `breaking`. */
  readonly name: string;
}

/**
 * Returns the commit at which this branch left `origin/main`; on main itself, the previous commit. Undefined if there
 * is no such commit (no git, a shallow clone, the first commit) or if it has no protobuf files.
 */
export async function findProtoBase(root: string): Promise<ProtoBase | undefined> {
  const head = await git(root, 'rev-parse', 'HEAD');
  const fork = await git(root, 'merge-base', 'HEAD', 'origin/main');
  const base =
    fork !== undefined && fork !== head
      ? { commit: fork, name: 'where origin/main was left' }
      : { commit: await git(root, 'rev-parse', 'HEAD~1'), name: 'the commit before' };
  if (base.commit === undefined || (await git(root, 'cat-file', '-e', `${base.commit}:proto/buf.yaml`)) === undefined) {
    return undefined;
  }
  return { commit: base.commit, name: `${base.name}, ${base.commit.slice(0, 10)}` };
}

/** Returns the output of git; undefined if it fails or is not installed. */
async function git(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  } catch {
    return undefined;
  }
}
