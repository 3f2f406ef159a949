import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from './objects.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

export const chartsFolder = join(root, 'deploy', 'charts');

/** Returns the path of a values file with which tests render a chart. */
export function valuesFile(chart: string, name: string): string {
  return join(chartsFolder, chart, 'ci', name);
}

/** File with the fewest values with which each chart can be rendered. */
export const minimal = valuesFile('tocsin', 'minimal-values.yaml');
export const minimalRegion = valuesFile('tocsin-region', 'minimal-values.yaml');

/** Maps a version of Helm to the Go package of its command. There is one version for each major version in use. */
export const HELM_COMMANDS = {
  'v4.3.1': 'helm.sh/helm/v4/cmd/helm',
  'v3.21.4': 'helm.sh/helm/v3/cmd/helm',
} as const;
export type HelmVersion = keyof typeof HELM_COMMANDS;

/** Limit in milliseconds for building Helm on a new machine. */
export const BUILD_LIMIT_MS = 1_200_000;

/** Version for tests that do not compare both versions. */
export const HELM: HelmVersion = 'v4.3.1';

/**
 * Returns the path of Helm. If Helm is missing, builds it from modules of the Go module proxy, which takes minutes.
 * @throws Error if Go is not installed.
 */
export async function buildHelm(version: HelmVersion): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', 'tocsin', `helm-${version}`);
  const binary = join(folder, 'helm');
  const isThere = await access(binary).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await mkdir(folder, { recursive: true });
    await go(['install', `${HELM_COMMANDS[version]}@${version}`], { GOBIN: folder });
  }
  return binary;
}

/** Downloads a Go module, and returns the folder of its files. */
export async function downloadModule(module: string): Promise<string> {
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', module]));
  return Dir;
}

async function go(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  try {
    // The working folder has no go.mod, so the commands do not depend on a go.mod.
    const options = { cwd: '/', env: { ...process.env, ...env }, maxBuffer: 16_000_000 };
    return (await run('go', args, options)).stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('go is not installed, and the tests of the charts build Helm with it');
    }
    throw error;
  }
}

export interface Rendering {
  readonly text: string;
  readonly objects: readonly KubernetesObject[];
}

/** Version of Kubernetes for which charts are rendered. By default, Helm 3 assumes an old version. */
const KUBERNETES = ['--kube-version', '1.34.0'];

/**
 * Renders a chart as `helm template` does. Each of `values` is the path of a values file, or an object with the values
 * to set. `folder` contains the charts.
 */
export async function render(
  helm: string,
  chart: string,
  values: readonly (string | object)[],
  folder: string = chartsFolder,
): Promise<Rendering> {
  const { stdout: text } = await run(helm, ['template', 'acme', join(folder, chart), ...KUBERNETES, ...flags(values)], {
    maxBuffer: 16_000_000,
  });
  const objects = parseAllDocuments(text).map((document) => {
    // For example, a map has the same key twice.
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as KubernetesObject | null;
  });
  return { text, objects: objects.filter((object) => object !== null) };
}

/** Returns the message with which Helm refuses values; undefined if Helm accepts the values. */
export async function refusalOf(helm: string, chart: string, values: readonly (string | object)[]) {
  return render(helm, chart, values).then(
    () => undefined,
    (error: Error & { stderr?: string }) => error.stderr ?? error.message,
  );
}

/** Adds the dependencies of a chart to its folder, as `helm dependency build` does. */
export async function buildDependencies(helm: string, chart: string, folder: string): Promise<void> {
  await run(helm, ['dependency', 'build', join(folder, chart)]);
}

/** Runs Helm's strict checks of a chart. Fails with their output. */
export async function lint(helm: string, chart: string, values: readonly (string | object)[]): Promise<void> {
  await run(helm, ['lint', '--strict', join(chartsFolder, chart), ...flags(values)]);
}

function flags(values: readonly (string | object)[]): string[] {
  return values.flatMap((value) => {
    if (typeof value === 'string') return ['--values', value];
    return Object.entries(value).flatMap(([key, part]) => ['--set-json', `${key}=${JSON.stringify(part)}`]);
  });
}
