import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { buildHelm, HELM } from '../charts/helm.ts';
import { loadImages, runningCluster, startCluster } from './node/cluster.ts';
import { programEnvironment, ROOT } from './node/folders.ts';
import { buildProductImages, buildPublicImages } from './node/images.ts';
import { preparePrograms } from './node/programs.ts';
import { checkOutPrevious, PREVIOUS, PREVIOUS_TAG } from './previous.ts';

const usage = `npm run test:cluster [-- <part of a path> …]

Tests the images and the Helm charts on a Kubernetes of one node, which it builds, starts and stops. See test/cluster/README.md.
  --prepare        only builds the programs and the images
  --up             starts a cluster with the images and keeps it until it is interrupted; further runs use it
  --exec           runs a command in the cluster of another run with --up: npm run test:cluster -- --exec kubectl get pods -A
`;

const say = (line: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

// With --exec, the other arguments are not parsed, because the program to run may have options of its own.
const [, , first, ...words] = process.argv;
const { values, positionals } = parseArgs({
  args: first === '--exec' ? [first] : process.argv.slice(2),
  options: {
    prepare: { type: 'boolean', default: false },
    up: { type: 'boolean', default: false },
    exec: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

if (values.help) process.stdout.write(usage);
else if (values.exec) process.exitCode = await execute(words);
else if (process.getuid?.() !== 0) {
  process.stderr.write('A cluster needs root, for namespaces and mounts of its own.\n');
  process.exitCode = 1;
} else await main();

async function main(): Promise<void> {
  await preparePrograms(say);
  await buildHelm(HELM);
  const images = [
    ...(await buildPublicImages(say)),
    ...(await buildProductImages({ folder: ROOT, tag: manifest.version, stages: ['tocsin', 'synthetic'] }, say)),
  ];
  const previous = await checkOutPrevious();
  say(`the previous version is that of ${previous}`);
  images.push(...(await buildProductImages({ folder: PREVIOUS, tag: PREVIOUS_TAG, stages: ['tocsin'] }, say)));
  if (values.prepare) return;
  const existing = await runningCluster();
  if (existing && values.up) throw new Error('a cluster is already running');
  await using cluster = existing ? undefined : await startCluster();
  const enter = existing ?? cluster?.enter ?? [];
  await loadImages(enter, images);
  if (values.up) {
    say('the cluster is ready');
    await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
    return;
  }
  const script = join(ROOT, 'test', 'run.ts');
  process.exitCode = await inside(enter, [process.execPath, script, '--cluster', ...positionals]);
}

async function execute(words: readonly string[]): Promise<number> {
  const enter = await runningCluster();
  if (enter) return inside(enter, words);
  process.stderr.write('No cluster is running: start one with --up.\n');
  return 1;
}

/** Runs a command in the mount and network namespaces of the node. Returns its exit code. */
async function inside(enter: readonly string[], words: readonly string[]): Promise<number> {
  const [program = '', ...args] = [...enter, ...words];
  const child = spawn(program, args, { env: programEnvironment, stdio: 'inherit', cwd: ROOT });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
