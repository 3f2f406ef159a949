import { access, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackPackages } from '@tocsin/dev-servers/debian-packages';
import { downloadModule } from '../../charts/helm.ts';
import { GATEWAY_API } from '../../charts/kubernetes-schema.ts';
import { command } from './command.ts';
import { CACHE, DEBIAN, GATEWAY_RESOURCES, PROGRAMS } from './folders.ts';

/** Version of Kubernetes. The published modules of its staging folder have the version v0.x.y. */
const KUBERNETES = 'v1.34.4';
const COREDNS = 'v1.12.4';
const NATS = 'v2.12.15';

const kubernetesPrograms = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubelet',
  'kubectl',
];

/** Debian packages of the container runtime, the network, the database of Kubernetes, and the builder of images. */
const packages = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'etcd-server',
  'nftables',
  'libnftables1',
  'libnftnl11',
  'iptables',
  'libip4tc2',
  'libip6tc2',
  'libxtables12',
  'conntrack',
  'libnetfilter-conntrack3',
  'libnfnetlink0',
  'buildah',
  'golang-github-containers-common',
  'golang-github-containers-image',
  'libgpgme11',
  'libsubid4',
  'mmdebstrap',
];

/** Downloads and builds every program that a cluster consists of, unless it is in the cache. */
export async function preparePrograms(say: (line: string) => void): Promise<void> {
  await mkdir(PROGRAMS, { recursive: true });
  if (!(await exists(DEBIAN))) await timed(say, 'Debian packages', unpackDebian);
  const missing: string[] = [];
  for (const name of kubernetesPrograms) {
    if (!(await exists(join(PROGRAMS, `${name}-${KUBERNETES}`)))) missing.push(name);
  }
  if (missing.length > 0) await buildKubernetes(missing, say);
  if (!(await exists(join(PROGRAMS, `coredns-${COREDNS}`)))) await timed(say, 'coredns', buildCoreDns);
  if (!(await exists(join(PROGRAMS, `nats-server-${NATS}`)))) await timed(say, 'nats-server', buildNats);
  await timed(say, 'pause', buildPause);
  await copyGatewayApi();
}

async function unpackDebian(): Promise<void> {
  const work = await mkdtemp(`${DEBIAN}-`);
  try {
    const unpacked = await unpackPackages(work, { refresh: false, choose: async () => packages });
    if (unpacked === undefined) throw new Error('apt-get downloaded no package');
    // Debian creates these links when it installs the package.
    for (const name of ['iptables', 'ip6tables', 'iptables-save', 'iptables-restore']) {
      await symlink('xtables-nft-multi', join(unpacked, 'usr', 'sbin', name)).catch(() => undefined);
    }
    await rename(unpacked, DEBIAN);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Builds programs of Kubernetes. The go.mod of Kubernetes replaces the modules of its staging folder with local
 * folders, which the module proxy does not have. The build therefore uses a copy of go.mod that requires the published
 * versions of these modules.
 */
async function buildKubernetes(names: readonly string[], say: (line: string) => void): Promise<void> {
  const module = `k8s.io/kubernetes@${KUBERNETES}`;
  const folder = join(CACHE, 'build', 'kubernetes');
  await mkdir(folder, { recursive: true });
  const { Dir: source } = JSON.parse(await go('/', 'mod', 'download', '-json', module));
  const staging = `v0.${KUBERNETES.slice('v1.'.length)}`;
  const original = await readFile(join(source, 'go.mod'), 'utf8');
  const changed = original
    .replace(/^module .*/m, 'module cluster')
    .replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${staging}`);
  await writeFile(join(folder, 'go.mod'), `${changed}\nrequire k8s.io/kubernetes ${KUBERNETES}\n`);
  await writeFile(join(folder, 'go.sum'), await readFile(join(source, 'go.sum')));
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(KUBERNETES) ?? [];
  const version = { gitVersion: KUBERNETES, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  // The version is compared with the chart's `kubeVersion`.
  const flags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((target) =>
    Object.entries(version).map(([name, value]) => `-X ${target}.${name}=${value}`),
  );
  for (const name of names) {
    await timed(say, name, async () => {
      const output = join(PROGRAMS, name);
      await go(
        folder,
        'build',
        '-trimpath',
        '-ldflags',
        `-s -w ${flags.join(' ')}`,
        '-o',
        output,
        `k8s.io/kubernetes/cmd/${name}`,
      );
      await writeFile(`${output}-${KUBERNETES}`, '');
    });
  }
}

/** Builds CoreDNS with only the plugins that a cluster needs. Compiling all plugins would take minutes. */
async function buildCoreDns(): Promise<void> {
  const folder = join(CACHE, 'build', 'coredns');
  await mkdir(folder, { recursive: true });
  const plugins = ['cache', 'errors', 'health', 'kubernetes', 'ready', 'reload'];
  const imports = plugins.map((name) => `\t_ "github.com/coredns/coredns/plugin/${name}"`).join('\n');
  const main = `package main\n\nimport (\n\t"github.com/coredns/coredns/coremain"\n${imports}\n)\n\nfunc main() { coremain.Run() }\n`;
  await writeFile(join(folder, 'main.go'), main);
  await writeFile(join(folder, 'go.mod'), 'module cluster\n\ngo 1.25\n');
  await go(folder, 'get', `github.com/coredns/coredns@${COREDNS}`);
  await go(folder, 'mod', 'tidy');
  const output = join(PROGRAMS, 'coredns');
  await go(folder, 'build', '-trimpath', '-ldflags', '-s -w', '-o', output, '.');
  await writeFile(`${output}-${COREDNS}`, '');
}

async function buildNats(): Promise<void> {
  await go('/', 'install', '-trimpath', '-ldflags=-s -w', `github.com/nats-io/nats-server/v2@${NATS}`);
  await writeFile(join(PROGRAMS, `nats-server-${NATS}`), '');
}

/** Copies the custom resources of the Gateway API, because the tests can't access a registry. */
async function copyGatewayApi(): Promise<void> {
  const module = await downloadModule(GATEWAY_API);
  await rm(GATEWAY_RESOURCES, { recursive: true, force: true });
  await cp(join(module, 'config', 'crd', 'standard'), GATEWAY_RESOURCES, { recursive: true });
}

/** Builds `pause`, which runs in the container that owns the namespaces of a pod. */
async function buildPause(): Promise<void> {
  const output = join(PROGRAMS, 'pause');
  if (await exists(output)) return;
  const source = join(import.meta.dirname, 'pause.c');
  await command('cc', ['-Os', '-s', '-static', '-o', output, source]);
}

function go(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    CGO_ENABLED: '0',
    GOBIN: PROGRAMS,
    GOFLAGS: '-mod=mod -buildvcs=false',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  };
  return command('nice', ['-n', '10', 'go', ...args], { cwd, env });
}

/** Runs a step and reports its duration if it took longer than a second. */
export async function timed<Result>(
  say: (line: string) => void,
  name: string,
  step: () => Promise<Result>,
): Promise<Result> {
  const began = performance.now();
  const result = await step();
  const seconds = (performance.now() - began) / 1000;
  if (seconds > 1) say(`${name}: ${seconds.toFixed(0)} s`);
  return result;
}

export const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
