import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The commit whose protobuf files the present ones must stay compatible with. */
export interface ProtoBase {
  readonly commit: string;
  /** Description for the output of the step. */
  readonly name: string;
}

/**
 * Where this branch left `origin/main`; on main itself, the commit before. Undefined when neither is known (no git, a
 * shallow clone, the first commit) or the commit has no protobuf files.
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

/** The output of git; undefined when it fails or is not installed. */
async function git(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  } catch {
    return undefined;
  }
}
