import { readdirSync } from 'node:fs';
import { cp, lstat, mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  BUILD_LIMIT_MS,
  buildDependencies,
  buildHelm,
  chartsFolder,
  HELM,
  HELM_COMMANDS,
  type HelmVersion,
  lint,
  render,
  valuesFile,
} from './helm.ts';
import { FULL_VALUES, immutableFields, RELEASED } from './immutable-fields.ts';
import { KubernetesSchema } from './kubernetes-schema.ts';
import { containerOf, type KubernetesObject, named, ofKind, podOf } from './objects.ts';

const versions = Object.keys(HELM_COMMANDS) as HelmVersion[];
const helms = new Map<HelmVersion, string>();
let helm = '';
let schema: KubernetesSchema;

beforeAll(async () => {
  for (const version of versions) helms.set(version, await buildHelm(version));
  helm = helms.get(HELM) ?? '';
  schema = await KubernetesSchema.load();
}, BUILD_LIMIT_MS);

/** The charts are rendered with each of these values files. An entry contains the chart and the name of the file. */
const examples = ['tocsin', 'tocsin-region'].flatMap((chart) =>
  readdirSync(join(chartsFolder, chart, 'ci')).map((name) => [chart, name] as const),
);
const installed = [['tocsin', '../quickstart-values.yaml'] as const, ...examples];

/** Returns the objects of the chart itself, without extraObjects. */
const own = (objects: readonly KubernetesObject[]) =>
  objects.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] === 'tocsin');

describe.each(installed)('the chart %s with %s', (chart, file) => {
  const values = [valuesFile(chart, file)];

  test.each(versions)('the chart passes the strict checks of Helm %s', async (version) => {
    await lint(helms.get(version) ?? '', chart, values);
  });

  test('the chart is rendered to the same bytes each time, and to the same objects by both versions of Helm', async () => {
    const [first, second, again] = await Promise.all(
      [...helms.values(), helm].map((binary) => render(binary, chart, values)),
    );
    expect(again?.text).toBe(first?.text);
    const byName = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
    const sorted = (objects: readonly KubernetesObject[] = []) =>
      [...objects].sort((a, b) => (byName(a) < byName(b) ? -1 : 1));
    expect(sorted(second?.objects)).toEqual(sorted(first?.objects));
  });

  test('the chart consists of objects that Kubernetes accepts, and none of them is outside of the namespace', async () => {
    const { objects } = await render(helm, chart, values);
    expect(objects.length).toBeGreaterThan(3);
    expect(objects.flatMap((object) => schema.errorsOf(object).map((error) => `${object.kind}: ${error}`))).toEqual([]);
    const clusterWide = /^(Cluster.*|Namespace|CustomResourceDefinition|PersistentVolume|StorageClass|.*Webhook.*)$/;
    expect(objects.filter(({ kind }) => clusterWide.test(kind))).toEqual([]);
    expect(objects.filter(({ kind }) => ['Role', 'RoleBinding', 'Secret'].includes(kind))).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('all pods of the chart satisfy the Pod Security Standard "restricted" and have no service account token', async () => {
    const { objects } = await render(helm, chart, values);
    for (const object of objects) {
      const pod = podOf(object);
      if (!pod) continue;
      const { securityContext, hostNetwork, hostPID, hostIPC, volumes = [], automountServiceAccountToken } = pod.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect([hostNetwork, hostPID, hostIPC]).toEqual([undefined, undefined, undefined]);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(volumes.filter((volume) => 'hostPath' in volume)).toEqual([]);
      for (const container of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.securityContext.privileged).toBeUndefined();
      }
    }
    for (const object of own(objects)) {
      for (const container of podOf(object)?.spec.containers ?? []) {
        expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
      }
    }
  });

  test('an upgrade to another image changes no immutable field', async () => {
    const before = await render(helm, chart, values);
    const digest = `sha256:${'a'.repeat(64)}`;
    const after = await render(helm, chart, [
      ...values,
      { 'global.image.digest': digest, 'checker.image.digest': digest },
    ]);
    const deployments = ofKind(own(after.objects), 'Deployment');
    for (const deployment of deployments) {
      const earlier = named(before.objects, 'Deployment', deployment.metadata.name);
      expect(deployment.spec?.selector).toEqual(earlier?.spec?.selector);
      expect(containerOf(podOf(deployment)).image).toContain(digest);
    }
    expect(deployments.length).toBe(ofKind(own(before.objects), 'Deployment').length);
    // A Job can't be changed at all, so a changed Job must have another name.
    for (const job of ofKind(after.objects, 'Job')) {
      const earlier = named(before.objects, 'Job', job.metadata.name);
      if (earlier) expect(job).toEqual(earlier);
    }
    for (const service of ofKind(after.objects, 'Service')) {
      const earlier = named(before.objects, 'Service', service.metadata.name);
      expect(service.spec?.clusterIP).toBe(earlier?.spec?.clusterIP);
    }
  });
});

test.each(['tocsin', 'tocsin-region'] as const)(
  'an upgrade from the released chart %s changes no immutable field',
  async (chart) => {
    const released = JSON.parse(await readFile(RELEASED, 'utf8'))[chart];
    const files = [valuesFile(chart, 'minimal-values.yaml'), valuesFile(chart, FULL_VALUES[chart])];
    const { objects } = await render(helm, chart, files);
    expect(Object.keys(released).length).toBeGreaterThan(3);
    // If the new chart lacked an object, the upgrade would delete the object and its data.
    expect(immutableFields(objects)).toMatchObject(released);
  },
);

test.each(versions)(
  'Helm %s adds the shared templates to charts that were copied without symbolic links, as Flux copies them',
  async (version) => {
    const binary = helms.get(version) ?? '';
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-charts-'));
    const filter = async (path: string) => !(await lstat(path)).isSymbolicLink();
    await cp(chartsFolder, folder.path, { recursive: true, filter });
    for (const chart of ['tocsin', 'tocsin-region']) {
      const values = [valuesFile(chart, 'minimal-values.yaml')];
      await expect(render(binary, chart, values, folder.path)).rejects.toThrow('missing in charts/ directory');
      await buildDependencies(binary, chart, folder.path);
      const copied = await render(binary, chart, values, folder.path);
      expect(copied.text).toBe((await render(binary, chart, values)).text);
    }
  },
);
