import { join } from 'node:path';
import { chartsFolder } from '../charts/helm.ts';
import { RELEASE, runHelm, setFlags, targetValues } from './installation.ts';
import { apply, createRestrictedNamespace, kubectl } from './kubernetes.ts';

/** A release of the chart tocsin-region. */
export interface RegionRelease {
  /** Name of the region and of the release. */
  readonly name: string;
  readonly namespace: string;
  /** Namespace of the central installation. */
  readonly centre: string;
  /** How the checkers of the region connect to NATS. */
  readonly connection: 'direct' | 'leaf node';
}

export interface RegionOptions {
  readonly values: Readonly<Record<string, unknown>>;
  /** Creates what the release needs in its namespace. */
  readonly prepare?: () => Promise<void>;
}

/** Installs a region as docs/operations/regions.md says. Does not wait until the region is ready. */
export async function installRegion(region: RegionRelease, { values, prepare }: RegionOptions): Promise<void> {
  const { name, namespace, centre, connection } = region;
  await createRestrictedNamespace(namespace);
  await createRegionSecret(region);
  await prepare?.();
  const chart = join(chartsFolder, 'tocsin-region');
  const leafNode = connection === 'direct' ? [] : ['--values', join(chart, 'leaf-node-values.yaml')];
  const scheme = values['tls.existingSecret'] ? 'https' : 'http';
  const settings = setFlags({
    region: name,
    existingSecret: 'tocsin-region',
    identityUrl: `${scheme}://${RELEASE}-identity.${centre}.svc.cluster.local:7101`,
    monitorUrl: `${scheme}://${RELEASE}-monitor.${centre}.svc.cluster.local:7102`,
    ...targetValues,
    ...values,
  });
  await runHelm(['install', name, chart, '--namespace', namespace, ...leafNode, ...settings]);
}

/** Waits until the checker of a region is ready. */
export async function waitForRegion({ name, namespace }: RegionRelease): Promise<void> {
  const deployment = `deployment/${name}-tocsin-region-checker`;
  await kubectl('rollout', 'status', deployment, '--namespace', namespace, '--timeout=180s');
}

/** Creates the secret of a region from the secret of the central installation, as docs/operations/regions.md says. */
async function createRegionSecret({ namespace, centre, connection }: RegionRelease): Promise<void> {
  const { data } = JSON.parse(await kubectl('get', 'secret', 'tocsin', '--namespace', centre, '--output', 'json'));
  const url = new URL(Buffer.from(data['nats-url-checker'], 'base64').toString());
  const { username, password } = url;
  const server = `${RELEASE}-nats.${centre}.svc.cluster.local`;
  url.hostname = connection === 'direct' ? server : 'tocsin-leaf-node';
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tocsin-region', namespace },
    stringData: {
      'nats-url-checker': url.href,
      'leaf-node.conf': [
        `authorization { user: "${username}", password: "${password}" }`,
        `leafnodes { remotes: [{ url: "nats-leaf://${username}:${password}@${server}:7422" }] }`,
      ].join('\n'),
    },
    data: { 'service-secret-checker': data['service-secret-checker'] },
  });
}
