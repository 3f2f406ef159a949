import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from './command.ts';
import {
  CONTROL_GROUP,
  NODE_ADDRESS,
  NODE_NAME,
  POD_RANGE,
  SERVICE_RANGE,
  VOLUMES,
  writeConfiguration,
} from './configuration.ts';
import { DEBIAN, programEnvironment, ROOT, STATE } from './folders.ts';
import { buildNodeImages, type Image } from './images.ts';
import { exists } from './programs.ts';

/** A running single-node Kubernetes cluster in separate Linux namespaces. */
export interface Cluster extends AsyncDisposable {
  /** Command prefix that runs a program in the node's mount and network namespaces. */
  readonly enter: readonly string[];
}

/** Time limit for the start of all programs of the node. */
const START_LIMIT_MS = 120_000;

/**
 * Starts a cluster with an empty state. The cluster ends when it is disposed of or when this process ends.
 * @throws Error that names the folder of the logs if the cluster does not start in time.
 */
export async function startCluster(): Promise<Cluster> {
  const [pause, dns] = await buildNodeImages();
  if (!pause || !dns) throw new Error('there are no images of the node');
  await writeConfiguration();
  await writeFile(join(STATE, 'pause.tar'), await readFile(pause.archive));
  await createControlGroups();
  const log = await open(join(STATE, 'log', 'node.log'), 'a');
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--net', '--uts', '--ipc'];
  const script = join(import.meta.dirname, 'node.sh');
  const child = spawn(
    'unshare',
    [
      ...namespaces,
      '--fork',
      '--kill-child',
      '--mount-proc',
      script,
      STATE,
      NODE_ADDRESS,
      NODE_NAME,
      POD_RANGE,
      SERVICE_RANGE,
      DEBIAN,
      process.execPath,
    ],
    // With `detached`, Ctrl-C in a terminal does not reach the node. This process ends the node after the tests.
    { env: programEnvironment, stdio: ['pipe', log.fd, log.fd], detached: true },
  );
  await log.close();
  const exited = once(child, 'exit');
  const ended = { yes: false };
  void exited.then(() => {
    ended.yes = true;
  });
  const stop = async () => {
    // The node ends when its stdin is closed.
    child.stdin?.end();
    await exited;
    await removeControlGroups();
    const files = (await readdir(STATE)).filter((name) => !name.endsWith('log'));
    await Promise.all(files.map((name) => rm(join(STATE, name), { recursive: true, force: true })));
  };
  try {
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await exists(join(STATE, 'started')))) {
      if (ended.yes || Date.now() > deadline) throw new Error(`the node did not start: see ${join(STATE, 'log')}`);
      await sleep(100);
    }
    // The child of unshare is the first process of the node.
    const pid = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim();
    await appendFile(join(STATE, 'pid'), pid);
    const enter = enterCommand(pid);
    await loadImages(enter, [dns]);
    const base = await readFile(join(import.meta.dirname, 'base.yaml'), 'utf8');
    await inside(enter, ['kubectl', 'apply', '--filename', '-'], `${base}---\n${volumes()}`);
    await inside(enter, [
      'kubectl',
      '--namespace',
      'kube-system',
      'rollout',
      'status',
      'deployment/coredns',
      '--timeout=60s',
    ]);
    return { enter, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes images available to pods. Skips images that the cluster already has. `enter` is `Cluster.enter`. */
export async function loadImages(enter: readonly string[], images: readonly Image[]): Promise<void> {
  const words = ['ctr', '--address', '/run/containerd/containerd.sock', '--namespace', 'k8s.io', 'images', 'import'];
  for (const { name, id, archive } of images) {
    // A file in the state folder marks an imported image. The folder is removed with the cluster.
    const mark = join(STATE, 'images', name.replaceAll(/[/:]/g, '-'));
    if ((await readFile(mark, 'utf8').catch(() => '')) === id) continue;
    await inside(enter, [...words, archive]);
    await mkdir(join(STATE, 'images'), { recursive: true });
    await writeFile(mark, id);
  }
}

/** Returns the arguments that enter the mount and network namespaces of the node. */
function enterCommand(pid: string): string[] {
  return ['nsenter', `--target=${pid}`, '--mount', '--net', `--wd=${ROOT}`, '--'];
}

/** Returns the command prefix for the cluster that another process has started; undefined if there is none. */
export async function runningCluster(): Promise<readonly string[] | undefined> {
  const pid = await readFile(join(STATE, 'pid'), 'utf8').catch(() => '');
  const words = pid && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return words.includes('node.sh') ? enterCommand(pid) : undefined;
}

function inside(enter: readonly string[], words: readonly string[], input = ''): Promise<string> {
  const [program = '', ...args] = [...enter, ...words];
  return command(program, args, { env: programEnvironment, input });
}

/** Returns the volumes of the cluster, which are folders of the node. Each can be claimed once. */
function volumes(): string {
  const terms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] }] }];
  const list = Array.from({ length: VOLUMES }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${index + 1}` },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      local: { path: `/mnt/${index + 1}` },
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
    },
  }));
  return list.map((volume) => JSON.stringify(volume)).join('\n---\n');
}

const HIERARCHIES = '/sys/fs/cgroup';

/**
 * Returns the folders of the cluster's control group: one for each hierarchy of cgroup v1, or a single one for cgroup
 * v2.
 */
export async function controlGroups(): Promise<string[]> {
  if (await exists(join(HIERARCHIES, 'cgroup.controllers'))) return [join(HIERARCHIES, CONTROL_GROUP)];
  const names = await readdir(HIERARCHIES);
  const folders: string[] = [];
  for (const name of names.filter((each) => each !== 'unified')) {
    if ((await stat(join(HIERARCHIES, name))).isDirectory()) folders.push(join(HIERARCHIES, name, CONTROL_GROUP));
  }
  return folders;
}

async function createControlGroups(): Promise<void> {
  for (const folder of await controlGroups()) {
    await mkdir(folder, { recursive: true });
    // A new group of the hierarchy "cpuset" has no processors and accepts no process.
    for (const setting of ['cpuset.cpus', 'cpuset.mems']) {
      const parent = await readFile(join(folder, '..', setting), 'utf8').catch(() => undefined);
      if (parent?.trim()) await writeFile(join(folder, setting), parent);
    }
    // By default, all pods together get only as much processor time as a single process outside of the group.
    await writeFile(join(folder, 'cpu.shares'), '8192', { flag: 'r+' }).catch(() => undefined);
  }
}

async function removeControlGroups(): Promise<void> {
  for (const folder of await controlGroups()) await removeTree(folder);
}

async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  // A group can't be removed while the kernel still ends its processes.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const removed = await rmdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (removed) return;
    await sleep(100);
  }
}
