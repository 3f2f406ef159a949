import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type AuditResult, parseAudit } from './parse-audit.ts';

const root = join(import.meta.dirname, '..');
const { pnpm } = createRequire(import.meta.url)('../deploy/local/run-pnpm.cjs') as { pnpm: string };

const TIMEOUT_MS = 60_000;

/** Queries the package registry for advisories about the production packages in the lockfile. */
export async function checkAdvisories(): Promise<AuditResult> {
  const args = ['exec', '--yes', `--package=${pnpm}`, '--', 'pnpm', 'audit', '--prod', '--json'];
  const child = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS });
  const failure = new Promise<Error | undefined>((resolve) => {
    child.once('error', resolve).once('close', () => resolve(undefined));
  });
  const [stdout, stderr, error] = await Promise.all([text(child.stdout), text(child.stderr), failure]);
  return parseAudit({ stdout, stderr: error?.message ?? stderr });
}
