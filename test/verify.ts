import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { checkComments } from './check-comments.ts';
import { checkImports } from './check-imports.ts';
import { checkLanguage } from './check-language.ts';
import { findProtoBase } from './proto-base.ts';

/** Result of a step. `note` is appended to the reported line, and `output` is printed only if the step failed. */
interface Outcome {
  readonly ok: boolean;
  readonly output: string;
  readonly note?: string;
}

const root = join(import.meta.dirname, '..');

const steps: Record<string, () => Promise<Outcome>> = {
  format: () => tool('biome', 'ci', '--colors=off', '.'),
  imports: async () => {
    const violations = await checkImports(root);
    return { ok: violations.length === 0, output: violations.join('\n') };
  },
  comments: async () => {
    const { output: list } = await run('git', 'ls-files', '*.ts', '*.cjs');
    const problems = await checkComments(root, list.trimEnd().split('\n'));
    return { ok: problems.length === 0, output: problems.join('\n') };
  },
  language: async () => {
    const { output: list } = await run('git', 'ls-files', '*.md', '*.ts', '*.cjs', '*.proto');
    const problems = await checkLanguage(root, list.trimEnd().split('\n'));
    return { ok: problems.length === 0, output: problems.join('\n') };
  },
  unused: () => tool('knip', '--no-progress', '--no-config-hints'),
  // With the build info of an earlier run, the compiler checks only what has changed since that run.
  types: () => tool('tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', '.tmp/types.tsbuildinfo'),
  proto: () => tool('buf', 'lint', 'proto'),
  breaking: async () => {
    const base = await findProtoBase(root);
    if (!base) return { ok: true, output: '', note: 'nothing to compare with: no earlier protobuf files are known' };
    const outcome = await tool('buf', 'breaking', 'proto', '--against', `.git#ref=${base.commit},subdir=proto`);
    return { ...outcome, note: `compared with ${base.name}` };
  },
  unit: () => tool('vitest', 'run', '--project=unit', '--reporter=dot'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in steps));
if (unknown.length > 0) {
  process.stderr.write(`No step ${unknown.join(', ')}: there are ${Object.keys(steps).join(', ')}.\n`);
  process.exitCode = 2;
} else {
  const chosen = Object.entries(steps).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  const outcomes = await Promise.all(chosen.map(([name, step]) => report(name, step)));
  if (outcomes.includes(false)) process.exitCode = 1;
}

/** Runs a step and reports its outcome as soon as it ends. */
async function report(name: string, step: () => Promise<Outcome>): Promise<boolean> {
  const began = performance.now();
  const { ok, output, note } = await step();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const line = `${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(8)}  ${seconds} s${note ? `  ${note}` : ''}\n`;
  process.stdout.write(ok ? line : `${line}${output.trimEnd()}\n`);
  return ok;
}

/** Runs a program of the workspace. */
function tool(name: string, ...args: string[]): Promise<Outcome> {
  return run(join(root, 'node_modules', '.bin', name), ...args);
}

async function run(program: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ok: code === 0, output: stdout + stderr };
}
