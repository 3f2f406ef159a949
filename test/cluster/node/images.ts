import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { reachableBinaries } from '@tocsin/dev-servers/postgres-binaries';
import { command } from './command.ts';
import { CACHE, DEBIAN, PROGRAMS, programEnvironment, ROOT } from './folders.ts';
import { exists, timed } from './programs.ts';

/** Archives of images in the format of `docker save`. */
const ARCHIVES = join(CACHE, 'archives');

export interface Image {
  readonly name: string;
  readonly archive: string;
}

interface Build {
  readonly name: string;
  readonly dockerfile: string;
  /** Folder of the files that the Dockerfile copies. */
  readonly context: string;
  readonly options?: readonly string[];
}

const ownFile = (name: string) => join(import.meta.dirname, 'images', name);

/** Builds the images of programs that the node itself needs. */
export async function buildNodeImages(): Promise<Image[]> {
  return [await buildProgram('pause'), await buildProgram('coredns')];
}

async function buildProgram(name: string): Promise<Image> {
  await using context = await temporaryFolder();
  await cp(join(PROGRAMS, name), join(context.path, 'program'));
  // The folder is removed when the function returns.
  return await buildImage({
    name: `localhost/${name}:1`,
    dockerfile: ownFile('program.Dockerfile'),
    context: context.path,
  });
}

/** Builds both images of the product from its Dockerfile, and those that stand in for public images. */
export async function buildAllImages(version: string, say: (line: string) => void): Promise<Image[]> {
  await timed(say, 'image debian', buildDebian);
  const nats = { name: 'docker.io/library/nats:2.12', dockerfile: ownFile('nats.Dockerfile'), context: ownFile('') };
  const images = [
    await timed(say, 'image nats', () => buildImage(nats)),
    await timed(say, 'image postgres', buildPostgres),
  ];
  for (const target of ['tocsin', 'synthetic']) {
    const name = target === 'tocsin' ? 'tocsin' : `tocsin-${target}`;
    images.push(
      await timed(say, `image ${name}`, () =>
        buildImage({
          name: `docker.io/library/${name}:${version}`,
          dockerfile: join(ROOT, 'deploy', 'image', 'Dockerfile'),
          context: ROOT,
          options: ['--target', target, '--build-arg', 'NODE_IMAGE=localhost/debian:1'],
        }),
      ),
    );
  }
  return images;
}

/** Builds an image of Debian with Node and npm, from Debian packages and the packages of this workspace. */
async function buildDebian(): Promise<void> {
  await using context = await temporaryFolder();
  const system = join(CACHE, 'debian.tar');
  if (!(await exists(system))) {
    const mmdebstrap = ['mmdebstrap', '--quiet', '--variant=minbase', '--mode=root'];
    await withPackages([...mmdebstrap, '--include=ca-certificates', 'bookworm', system]);
  }
  await cp(system, join(context.path, 'debian.tar'));
  await cp(process.execPath, join(context.path, 'node'));
  const npm = join((await command('npm', ['root', '--global'])).trim(), 'npm');
  await cp(npm, join(context.path, 'npm'), { recursive: true });
  await build({ name: 'localhost/debian:1', dockerfile: ownFile('debian.Dockerfile'), context: context.path });
}

async function buildPostgres(): Promise<Image> {
  await using context = await temporaryFolder();
  await cp(await reachableBinaries(undefined), join(context.path, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await cp(ownFile('start-postgres'), join(context.path, 'start-postgres'));
  // The folder is removed when the function returns.
  return await buildImage({
    name: 'docker.io/library/postgres:18',
    dockerfile: ownFile('postgres.Dockerfile'),
    context: context.path,
  });
}

async function buildImage(input: Build): Promise<Image> {
  await build(input);
  await mkdir(ARCHIVES, { recursive: true });
  const archive = join(ARCHIVES, `${input.name.replaceAll(/[/:]/g, '-')}.tar`);
  await rm(archive, { force: true });
  await buildah('push', '--quiet', input.name, `docker-archive:${archive}:${input.name}`);
  return { name: input.name, archive };
}

/**
 * Builds an image. A build uses the network of this machine, and its settings of npm and apt, because a machine may
 * reach the registries of packages only through them.
 */
async function build({ name, dockerfile, context, options = [] }: Build): Promise<void> {
  await using settings = await temporaryFolder();
  const npmrc = join(settings.path, 'npmrc');
  const values = await command('npm', ['config', 'get', 'registry', 'cafile'], { cwd: homedir() });
  const lines = values.split('\n').filter((line) => /^(registry|cafile)=.+/.test(line) && !line.endsWith('=null'));
  await writeFile(npmrc, `${lines.join('\n')}\n`);
  const mounts = [
    [npmrc, '/root/.npmrc'],
    ['/etc/ssl/certs', '/etc/ssl/certs'],
  ].map(([source, target]) => `--volume=${source}:${target}:ro`);
  const fixed = ['--quiet', '--isolation=chroot', '--network=host', '--pull-never', '--layers', ...mounts];
  await buildah('bud', ...fixed, ...options, '--file', dockerfile, '--tag', name, context);
}

async function buildah(subcommand: string, ...args: string[]): Promise<void> {
  const folders = ['--root', join(CACHE, 'layers'), '--runroot', join(CACHE, 'layers-run'), '--storage-driver=overlay'];
  await withPackages(['buildah', ...folders, subcommand, ...args]);
}

/** Runs a program that finds the Debian packages as if they were installed. Its mounts end with it. */
async function withPackages(words: readonly string[]): Promise<void> {
  const mount = (folder: string) => `mount -t overlay -o lowerdir=${DEBIAN}${folder}:${folder} overlay ${folder}`;
  const script = `${mount('/usr')} && ${mount('/etc')} && exec nice -n 10 "$@"`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words];
  await command('unshare', args, { env: programEnvironment });
}

interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-cluster-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
