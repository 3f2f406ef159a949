import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from './node/command.ts';
import { CACHE, ROOT } from './node/folders.ts';

/** Source tree of the version from which an upgrade is tested. */
export const PREVIOUS = join(CACHE, 'previous');

/** Tag of the images of the previous version. */
export const PREVIOUS_TAG = 'previous';

/** Paths of files with migrations, and a pattern for the line with the name of a migration. */
const MIGRATIONS = ['services/*/src/storage/migrations/*', 'packages/outbox/src/migrations.ts'];
const NAME = "^ *'([a-z]+-)?[0-9]{3}-[a-z-]+',$";

/**
 * Writes the source tree of the last commit before the newest migration, so that an upgrade from this commit changes
 * the schema. Returns the hash of the commit. It is at least a second older than the commit with the migration, because
 * commits of the same second belong to one change and may not work separately.
 */
export async function checkOutPrevious(): Promise<string> {
  const git = async (...args: string[]) => (await command('git', args, { cwd: ROOT })).trim();
  const migrating = await git('log', '-1', '-G', NAME, '--format=%H %ct', '--', ...MIGRATIONS);
  const [hash, seconds] = migrating.split(' ');
  if (!hash) throw new Error('the history has no commit that adds a migration: fetch more of it');
  const commit = await git('rev-list', '-1', `--before=${Number(seconds) - 1}`, hash);
  const mark = join(CACHE, 'previous-commit');
  if ((await readFile(mark, 'utf8').catch(() => '')) === commit) return commit;
  await rm(PREVIOUS, { recursive: true, force: true });
  await mkdir(PREVIOUS, { recursive: true });
  await command('sh', ['-c', `git archive ${commit} | tar -x -C ${PREVIOUS}`], { cwd: ROOT });
  await writeFile(mark, commit);
  return commit;
}
