import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEBIAN, STATE } from './folders.ts';

export const NODE_NAME = 'node1';
/** Address of the node in its own network, which no other machine can reach. */
export const NODE_ADDRESS = '10.99.0.2';
export const POD_RANGE = '10.244.0.0/24';
export const SERVICE_RANGE = '10.96.0.0/16';
const DNS_ADDRESS = '10.96.0.10';

/** Control group below which all pods run. */
export const CONTROL_GROUP = 'tocsin-cluster';

/**
 * Values of the kernel settings that kubelet requires. The real settings affect the whole machine, so the node mounts
 * files with these values over them.
 */
const kernelSettings = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Number of volumes that a cluster has. A released volume is not reused. */
export const VOLUMES = 30;

/** Writes the configuration of all programs of a new cluster into the state folder. */
export async function writeConfiguration(): Promise<void> {
  await rm(STATE, { recursive: true, force: true });
  for (const folder of [
    'cni',
    'etcd',
    'containerd',
    'kubelet',
    'log',
    'pod-log',
    'pki',
    'plugins',
    'var-lib/upper',
    'var-lib/work',
  ]) {
    await mkdir(join(STATE, folder), { recursive: true });
  }
  for (let number = 1; number <= VOLUMES; number += 1) {
    await mkdir(join(STATE, 'volumes', `${number}`), { recursive: true });
  }
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  // All programs of the node act as the administrator: the cluster lives for one run, and only this machine reaches it.
  const token = randomBytes(24).toString('hex');
  const files = {
    'pki/service-accounts.key': privateKey,
    'pki/tokens.csv': `${token},admin,admin,system:masters\n`,
    kubeconfig: kubeconfig(token),
    'kubelet.yaml': JSON.stringify(kubelet),
    'kube-proxy.yaml': JSON.stringify(kubeProxy),
    'cni/10-pods.conflist': JSON.stringify(podNetwork),
    'containerd.toml': containerd,
    'resolv.conf': `nameserver ${DNS_ADDRESS}\n`,
    ...Object.fromEntries(Object.entries(kernelSettings).map(([name, value]) => [`kernel/${name}`, `${value}\n`])),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(STATE, name, '..'), { recursive: true });
    await writeFile(join(STATE, name), text, { mode: 0o600 });
  }
}

function kubeconfig(token: string): string {
  const server = `https://${NODE_ADDRESS}:6443`;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    // When the API server starts, it writes its certificate and the certificate of the issuing authority into this
    // file.
    clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority': join(STATE, 'pki', 'apiserver.crt') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'admin', context: { cluster: 'cluster', user: 'admin' } }],
    'current-context': 'admin',
  });
}

const kubelet = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${CONTROL_GROUP}`,
  failCgroupV1: false,
  failSwapOn: false,
  protectKernelDefaults: true,
  enforceNodeAllocatable: [],
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  clusterDomain: 'cluster.local',
  clusterDNS: [DNS_ADDRESS],
  resolvConf: '',
  makeIPTablesUtilChains: false,
  volumePluginDir: join(STATE, 'plugins'),
  // Other programs of the machine use the same memory and disk, so a shortage must not evict pods.
  evictionHard: Object.fromEntries(
    ['memory.available', 'nodefs.available', 'nodefs.inodesFree', 'imagefs.available', 'imagefs.inodesFree'].map(
      (signal) => [signal, '0%'],
    ),
  ),
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
};

const kubeProxy = {
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  clusterCIDR: POD_RANGE,
  hostnameOverride: NODE_NAME,
  clientConnection: { kubeconfig: join(STATE, 'kubeconfig') },
  // Zero leaves these settings unchanged. They belong to the machine, and can't be written in a network namespace.
  conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
};

const podNetwork = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      mtu: 1500,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni',
        ranges: [[{ subnet: POD_RANGE }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

const containerd = `version = 2
root = "${STATE}/containerd"
state = "/run/containerd/state"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  disable_apparmor = true
  # A machine may not allow lower values than that of the process itself.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${DEBIAN}/usr/lib/cni"
    conf_dir = "${STATE}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "${DEBIAN}/usr/sbin/runc"
        SystemdCgroup = false
`;
