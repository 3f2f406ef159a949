import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { type Api, createApi } from '../api.ts';
import { buildHelm, chartsFolder, HELM } from '../charts/helm.ts';
import { quick } from '../network.ts';
import { apply, createRestrictedNamespace, kubectl, type PodStatus, podsOf } from './kubernetes.ts';
import { command } from './node/command.ts';
import { NODE_ADDRESS, SERVICE_RANGE } from './node/configuration.ts';
import { programEnvironment, ROOT } from './node/folders.ts';

/** Properties of an installation that vitest can pass to test processes. */
export interface Installed {
  readonly namespace: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Milliseconds from the start of `helm install` until every pod is ready. */
  readonly readyMs: number;
}

/** Namespace of the installation that all tests use. */
export const NAMESPACE = 'tocsin';
export const RELEASE = 'tocsin';

/** Database URL with the role that owns the tables, as used by pods of an installation. */
const DATABASE_URL = 'postgres://tocsin:trial@tocsin-postgres:5432/tocsin';

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

/**
 * Address ranges of the node and of Services. Targets and receivers listen on the node, and Services forward requests
 * to targets.
 */
const nodeRange = `${NODE_ADDRESS}/32`;
const targetRanges = `${nodeRange},${SERVICE_RANGE}`;

const baseUrlOf = (namespace: string) => `http://${RELEASE}-gateway.${namespace}.svc.cluster.local`;

/** Helm values that all tests use: they allow targets and receivers inside the cluster, and disable rate limits. */
export const targetValues = {
  'global.env': {
    ...quick,
    TOCSIN_ALLOW_PRIVATE_TARGETS: targetRanges,
    // Omit TOCSIN_REGIONS, because the chart sets it, and TOCSIN_PROCESSES, because each pod runs one process.
    TOCSIN_REGIONS: undefined,
    TOCSIN_PROCESSES: undefined,
  },
  'networkPolicy.allowedTargets': [nodeRange],
};

export interface HelmOptions {
  /** Namespace of the release. Defaults to NAMESPACE. */
  readonly namespace?: string;
  readonly charts?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface InstallOptions extends HelmOptions {
  /**
   * Whether all services use the role that owns the tables, as in versions before decision 18
   * (docs/decisions/0018-runtime-role.md).
   */
  readonly hasOneRole?: boolean;
  /** Creates what the release needs in its namespace, besides the Secret with its keys. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Runs Helm with the quickstart values of this version, the values that all tests use, and `options.values`. An upgrade
 * therefore does not restart PostgreSQL and NATS, which are not a part of Tocsin.
 */
export async function helm(words: readonly string[], options: HelmOptions = {}): Promise<string> {
  const { namespace = NAMESPACE, charts = chartsFolder, values = {} } = options;
  const settings = setFlags({ baseUrl: baseUrlOf(namespace), ...targetValues, ...values });
  const chart = join(charts, 'tocsin');
  const trial = ['--values', join(chartsFolder, 'tocsin', 'quickstart-values.yaml')];
  return runHelm([...words, RELEASE, chart, '--namespace', namespace, ...trial, ...settings]);
}

/** Returns the arguments with which Helm sets values. */
export function setFlags(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
}

/** Runs Helm. */
export async function runHelm(args: readonly string[]): Promise<string> {
  return command(await buildHelm(HELM), args, { env: programEnvironment, cwd: ROOT });
}

/** Installs the chart as its documentation says, and waits until every pod is ready. */
export async function install(options: InstallOptions = {}): Promise<Installed> {
  const { namespace = NAMESPACE, hasOneRole = false, prepare } = options;
  await createRestrictedNamespace(namespace);
  await createSecret(namespace, hasOneRole);
  await prepare?.();
  const began = performance.now();
  await helm(['install'], options);
  await waitUntilReady(namespace);
  const readyMs = performance.now() - began;
  return { namespace, baseUrl: baseUrlOf(namespace), readyMs, apiKey: await createApiKey(namespace) };
}

/** Waits until all replicas of every Deployment are available. */
export async function waitUntilReady(namespace = NAMESPACE): Promise<void> {
  const names = COMPONENTS.map((name) => `deployment/${RELEASE}-${name}`);
  for (const name of names) await kubectl('rollout', 'status', name, '--namespace', namespace, '--timeout=300s');
}

/**
 * Waits until all replicas are available and no pod of the release is terminating. After a rolling update, this takes
 * up to the termination grace period of the pods.
 */
export async function waitUntilReplaced(namespace = NAMESPACE): Promise<void> {
  await waitUntilReady(namespace);
  await eventually(
    async () => {
      const pods = await podsOf(namespace, `app.kubernetes.io/instance=${RELEASE}`);
      const ending = pods.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
      if (ending) throw new Error(`${ending.metadata.name} has not ended`);
    },
    { timeoutMs: 120_000, intervalMs: 1_000 },
  );
}

/** Returns the pods of a component. */
export function podsOfComponent(namespace: string, name: string): Promise<PodStatus[]> {
  return podsOf(namespace, `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=${name}`);
}

/**
 * Sets the number of replicas of every component. With `names`, sets it only for these components, and sets the others
 * to one replica.
 */
export async function scale(replicas: number, names?: readonly string[]): Promise<void> {
  const settings = names ? names.map((name) => [`${name}.replicas`, replicas]) : [['global.replicas', replicas]];
  await helm(['upgrade'], { values: Object.fromEntries(settings) });
  await waitUntilReplaced();
}

async function createSecret(namespace: string, hasOneRole: boolean): Promise<void> {
  const options = ['--name', 'tocsin', '--nats-host', 'tocsin-nats:4222', '--database-url', DATABASE_URL];
  const { stringData, ...parsed } = await runLocalAdmin('kubernetes-secret', 'create', ...options);
  const others = Object.entries(stringData).filter(([key]) => !key.includes('database-url'));
  const oneRole = { ...Object.fromEntries(others), 'database-url': DATABASE_URL };
  const metadata = { ...parsed.metadata, namespace };
  await apply({ ...parsed, stringData: hasOneRole ? oneRole : stringData, metadata });
}

/** Changes the Secret of an installation from one database role to two, as docs/operations/database-roles.md says. */
export async function addRuntimeRoles(namespace: string): Promise<void> {
  const options = ['--name', 'tocsin', '--nats-host', 'unused:4222', '--database-url', DATABASE_URL];
  const { stringData } = await runLocalAdmin('kubernetes-secret', 'create', ...options);
  const urls = Object.entries(stringData).filter(([key]) => key.includes('database-url'));
  const patch = JSON.stringify({ stringData: Object.fromEntries(urls), data: { 'database-url': null } });
  await kubectl('patch', 'secret', 'tocsin', '--namespace', namespace, '--patch', patch);
}

const ALL = ['monitors', 'status_pages', 'alert_channels', 'incidents'].map((name) => `${name}:read_write`).join(',');

async function createApiKey(namespace: string): Promise<string> {
  const admin = (...words: string[]) => runAdmin(namespace, words);
  const { organization } = await admin('org', 'create', '--name', 'Acme', '--owner-email', 'you@example.com');
  const { key } = await admin('key', 'create', '--org', organization.uuid, '--name', 'admin', '--permissions', ALL);
  return key;
}

/** Runs an admin command on this machine, and returns its parsed output. The command must not need a server. */
export async function runLocalAdmin(...words: readonly string[]) {
  const script = join(ROOT, 'deploy', 'local', 'admin.ts');
  return JSON.parse(await command(process.execPath, [script, ...words]));
}

/** Runs an admin command in the pod of identity, as the chart's notes describe, and returns its parsed output. */
async function runAdmin(namespace: string, words: readonly string[]) {
  const pod = `deployment/${RELEASE}-identity`;
  return JSON.parse(await kubectl('exec', pod, '--namespace', namespace, '--', 'tocsin-run', 'admin', ...words));
}

export function apiOf({ baseUrl, apiKey }: Installed): Api {
  return createApi(baseUrl, apiKey);
}
