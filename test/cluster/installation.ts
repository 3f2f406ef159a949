import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { type Api, createApi } from '../api.ts';
import { buildHelm, chartsFolder, HELM } from '../charts/helm.ts';
import { quick } from '../network.ts';
import { apply, createRestrictedNamespace, kubectl, podsOf } from './kubernetes.ts';
import { command } from './node/command.ts';
import { NODE_ADDRESS, SERVICE_RANGE } from './node/configuration.ts';
import { programEnvironment, ROOT } from './node/folders.ts';

/** The installation that all tests use, in a form that vitest can pass to their processes. */
export interface Installed {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Milliseconds from the start of `helm install` until every pod is ready. */
  readonly readyMs: number;
}

export const NAMESPACE = 'tocsin';
export const RELEASE = 'tocsin';

/** Components of the chart, each a Deployment. */
export const COMPONENTS = [
  'gateway',
  'identity',
  'monitor',
  'checker',
  'disruption',
  'statuspage',
  'notifier',
] as const;
export type Component = (typeof COMPONENTS)[number];

/** Addresses of the node, on which targets and receivers of tests listen, and of Services, which lead to targets. */
const nodeRange = `${NODE_ADDRESS}/32`;
const targetRanges = `${nodeRange},${SERVICE_RANGE}`;

const baseUrl = `http://${RELEASE}-gateway.${NAMESPACE}.svc.cluster.local`;

/** Settings of the tests for all pods: targets and receivers inside the cluster, and no rate limits. */
export const targetValues = {
  'global.env': {
    ...quick,
    TOCSIN_ALLOW_PRIVATE_TARGETS: targetRanges,
    // The chart sets the regions, and each pod is a process.
    TOCSIN_REGIONS: undefined,
    TOCSIN_PROCESSES: undefined,
  },
  'networkPolicy.allowedTargets': [nodeRange],
};

const testValues = { baseUrl, ...targetValues };

/** Runs Helm with the values of the trial and of the tests, and with further ones. */
export async function helm(
  words: readonly string[],
  { charts = chartsFolder, values = {} }: { charts?: string; values?: Readonly<Record<string, unknown>> } = {},
): Promise<string> {
  const settings = setFlags({ ...testValues, ...values });
  const chart = join(charts, 'tocsin');
  const trial = ['--values', join(chart, 'quickstart-values.yaml')];
  return runHelm([...words, RELEASE, chart, '--namespace', NAMESPACE, ...trial, ...settings]);
}

/** Returns the words with which Helm sets values. */
export function setFlags(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
}

/** Runs Helm. */
export async function runHelm(args: readonly string[]): Promise<string> {
  return command(await buildHelm(HELM), args, { env: programEnvironment, cwd: ROOT });
}

/** Installs the chart as its documentation says, and waits until every pod is ready. */
export async function install(): Promise<Installed> {
  await createRestrictedNamespace(NAMESPACE);
  await createSecret();
  const began = performance.now();
  await helm(['install']);
  await waitUntilReady();
  const readyMs = performance.now() - began;
  return { baseUrl, readyMs, apiKey: await createApiKey() };
}

/** Waits until every Deployment has all its replicas. */
export async function waitUntilReady(): Promise<void> {
  const names = COMPONENTS.map((name) => `deployment/${RELEASE}-${name}`);
  for (const name of names) await kubectl('rollout', 'status', name, '--namespace', NAMESPACE, '--timeout=300s');
}

/** Waits until no pod of a component is ending, which takes as long as its grace period after a rolling update. */
export async function waitUntilReplaced(): Promise<void> {
  await waitUntilReady();
  await eventually(
    async () => {
      const pods = await podsOf(NAMESPACE, `app.kubernetes.io/instance=${RELEASE}`);
      const ending = pods.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (ending) throw new Error(`${ending.metadata.name} has not ended`);
    },
    { timeoutMs: 120_000, intervalMs: 1_000 },
  );
}

async function createSecret(): Promise<void> {
  const options = ['--name', 'tocsin', '--nats-host', 'tocsin-nats:4222'];
  const database = ['--database-url', `postgres://tocsin:trial@tocsin-postgres:5432/tocsin`];
  const script = join(ROOT, 'deploy', 'local', 'admin.ts');
  const secret = await command(process.execPath, [script, 'kubernetes-secret', 'create', ...options, ...database]);
  const parsed = JSON.parse(secret);
  await apply({ ...parsed, metadata: { ...parsed.metadata, namespace: NAMESPACE } });
}

const ALL = ['monitors', 'status_pages', 'alert_channels', 'incidents'].map((name) => `${name}:read_write`).join(',');

async function createApiKey(): Promise<string> {
  const { organization } = await admin('org', 'create', '--name', 'Acme', '--owner-email', 'you@example.com');
  const { key } = await admin('key', 'create', '--org', organization.uuid, '--name', 'admin', '--permissions', ALL);
  return key;
}

/** Runs the administrator's command in the pod of identity, as the notes of the chart say. */
async function admin(...args: string[]) {
  const pod = `deployment/${RELEASE}-identity`;
  return JSON.parse(await kubectl('exec', pod, '--namespace', NAMESPACE, '--', 'tocsin-run', 'admin', ...args));
}

export function apiOf({ baseUrl, apiKey }: Installed): Api {
  return createApi(baseUrl, apiKey);
}
