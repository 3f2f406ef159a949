import { eventually } from '@tocsin/testing';
import manifest from '../../package.json' with { type: 'json' };
import { apply, kubectl } from './kubernetes.ts';
import { NODE_ADDRESS } from './node/configuration.ts';

/** A web server that monitors check. It runs in a separate namespace. */
export interface ClusterTarget {
  readonly url: string;
  /** Removes the pod of the server, so that connections are refused. */
  break(): Promise<void>;
  repair(): Promise<void>;
}

/**
 * Address at which pods reach this process. It is the address of the node, because this process uses the node's
 * network.
 */
export const OWN_ADDRESS = NODE_ADDRESS;

/** The product's own image is used, because it contains Node. */
export const IMAGE = `tocsin:${manifest.version}`;

/**
 * Starts a web server in a new namespace. A request with `?wait=N` gets its response after N milliseconds. The server's
 * pod has the address of the node, so that the tests need to allow only this address as a target.
 */
export async function startClusterTarget(namespace: string, { port }: { port: number }): Promise<ClusterTarget> {
  const labels = { app: 'shop' };
  const server = `require('node:http').createServer(({ url }, response) => {
    const ms = Number(new URL(url, 'http://shop').searchParams.get('wait'));
    setTimeout(() => response.end('fine'), ms);
  }).listen(${port})`;
  const container = {
    name: 'shop',
    image: IMAGE,
    command: ['node', '-e', server],
    // On a busy machine, a response may take seconds.
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 30 },
  };
  const pod = { hostNetwork: true, terminationGracePeriodSeconds: 0, containers: [container] };
  const metadata = { name: 'shop', namespace };
  await apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: 80, targetPort: port }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
  );
  const scale = async (replicas: number) => {
    await kubectl('scale', 'deployment/shop', '--namespace', namespace, `--replicas=${replicas}`);
    await kubectl('rollout', 'status', 'deployment/shop', '--namespace', namespace, '--timeout=60s');
  };
  await scale(1);
  await eventually(() => requireResponse(namespace), { timeoutMs: 60_000, intervalMs: 500 });
  return { url: `http://shop.${namespace}.svc.cluster.local/`, break: () => scale(0), repair: () => scale(1) };
}

/**
 * Throws unless the server responds at the address of its Service. Kubernetes routes that address to the pod only some
 * time after the pod is ready.
 */
async function requireResponse(namespace: string): Promise<void> {
  const output = '--output=jsonpath={.spec.clusterIP}';
  const address = await kubectl('get', 'service', 'shop', '--namespace', namespace, output);
  const response = await fetch(`http://${address.trim()}/`, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`the target responds with ${response.status}`);
}
