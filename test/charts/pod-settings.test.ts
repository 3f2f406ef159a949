import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MONITOR_SETTINGS } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildHelm, chartsFolder, HELM, minimal, minimalRegion, render } from './helm.ts';
import { containerOf, type KubernetesObject, named, ofKind, type PodTemplate, podOf, shortName } from './objects.ts';

const helm = await buildHelm(HELM);

/** A value for each setting that every pod has, and its expected form in a pod. */
const settings: Readonly<Record<string, { value: unknown; shown: (pod: PodTemplate) => unknown; as?: unknown }>> = {
  imagePullSecrets: { value: [{ name: 'registry' }], shown: ({ spec }) => spec.imagePullSecrets },
  podLabels: { value: { team: 'sre' }, shown: ({ metadata }) => metadata.labels?.team, as: 'sre' },
  podAnnotations: { value: { note: 'x' }, shown: ({ metadata }) => metadata.annotations?.note, as: 'x' },
  env: {
    value: { TOCSIN_X: 5, TOCSIN_Y: { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } } },
    shown: ({ spec: { containers } }) => containers[0].env.filter(({ name }) => /^TOCSIN_[XY]$/.test(name)),
    as: [
      { name: 'TOCSIN_X', value: '5' },
      { name: 'TOCSIN_Y', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ],
  },
  envFrom: { value: [{ configMapRef: { name: 'more' } }], shown: ({ spec: { containers } }) => containers[0].envFrom },
  logLevel: {
    value: 'debug',
    shown: ({ spec: { containers } }) => containers[0].env.find(({ name }) => name === 'TOCSIN_LOG_LEVEL')?.value,
  },
  resources: {
    value: { limits: { cpu: '2', memory: '1Gi' } },
    shown: ({ spec: { containers } }) => containers[0].resources.limits,
    as: { cpu: '2', memory: '1Gi' },
  },
  podSecurityContext: {
    value: { runAsUser: 4_000_000_000 },
    shown: ({ spec }) => spec.securityContext.runAsUser,
    as: 4_000_000_000,
  },
  securityContext: {
    value: { runAsGroup: 7 },
    shown: ({ spec: { containers } }) => containers[0].securityContext.runAsGroup,
    as: 7,
  },
  nodeSelector: { value: { disk: 'ssd' }, shown: ({ spec }) => spec.nodeSelector },
  tolerations: { value: [{ key: 'a', operator: 'Exists' }], shown: ({ spec }) => spec.tolerations },
  affinity: { value: { podAffinity: {} }, shown: ({ spec }) => spec.affinity },
  topologySpreadConstraints: { value: [], shown: ({ spec }) => spec.topologySpreadConstraints, as: undefined },
  priorityClassName: { value: 'high', shown: ({ spec }) => spec.priorityClassName },
  runtimeClassName: { value: 'gvisor', shown: ({ spec }) => spec.runtimeClassName },
  tmpSize: { value: '3Gi', shown: ({ spec }) => spec.volumes[0]?.emptyDir?.sizeLimit },
  volumes: { value: [{ name: 'ca', configMap: { name: 'ca' } }], shown: ({ spec }) => spec.volumes.slice(1) },
  volumeMounts: {
    value: [{ name: 'ca', mountPath: '/ca' }],
    shown: ({ spec: { containers } }) => containers[0].volumeMounts.slice(1),
  },
  initContainers: { value: [{ name: 'wait', image: 'busybox' }], shown: ({ spec }) => spec.initContainers },
  sidecars: {
    value: [{ name: 'proxy', image: 'envoy' }],
    // A pod that sets restartPolicy runs to completion. The chart adds sidecars to such a pod as init containers.
    shown: ({ spec }) =>
      spec.restartPolicy ? spec.initContainers?.map(({ name, image }) => ({ name, image })) : spec.containers.slice(1),
  },
  image: {
    value: { registry: 'r.example', repository: 'x', tag: '7', pullPolicy: 'Always' },
    shown: ({ spec: { containers } }) => [containers[0].image, containers[0].imagePullPolicy],
    as: ['r.example/x:7', 'Always'],
  },
};

/** Settings that do not concern pods. */
const notOfPods = [
  'annotations',
  'serviceAccountAnnotations',
  'extraEgress',
  'replicas',
  'preStopSeconds',
  'drainSeconds',
  'service',
  'autoscaling',
  'keda',
];

/** Settings with separate defaults for the checker. These defaults take precedence over `global`. */
const ownOfChecker = ['image', 'resources', 'tmpSize'];

test('the table of settings contains every global setting of values.yaml', async () => {
  for (const chart of ['tocsin', 'tocsin-region']) {
    const { global } = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
    expect([...Object.keys(settings), ...notOfPods].sort()).toEqual(Object.keys(global).sort());
  }
});

test.each(Object.entries(settings))('global.%s applies to every pod, even of jobs and tests', async (name, setting) => {
  const { value, shown, as = 'as' in setting ? undefined : value } = setting;
  const { objects } = await render(helm, 'tocsin', [minimal, { [`global.${name}`]: value }]);
  const withPods = objects.filter(podOf);
  expect(withPods).toHaveLength(9);
  for (const object of withPods) {
    const pod = shortName(object);
    if (pod === 'checker' && ownOfChecker.includes(name)) continue;
    expect({ pod, shown: shown(podOf(object) as PodTemplate) }).toEqual({ pod, shown: as });
  }
});

test.each(Object.entries(settings))(
  'the setting %s of one component does not apply to the others',
  async (name, setting) => {
    const { value, shown, as = 'as' in setting ? undefined : value } = setting;
    for (const component of ['notifier', 'migrate', 'checker']) {
      const { objects } = await render(helm, 'tocsin', [minimal, { [`${component}.${name}`]: value }]);
      for (const object of objects.filter(podOf)) {
        const isMeant = object.metadata.labels?.['app.kubernetes.io/component'] === component;
        const seen = shown(podOf(object) as PodTemplate);
        if (isMeant) expect(seen).toEqual(as);
        else expect(seen).not.toEqual(as ?? value);
      }
    }
  },
);

test('the configured labels are set on every object and every pod', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal, { labels: { cost: 'shared' } }]);
  for (const object of objects) {
    expect(object.metadata.labels?.cost).toBe('shared');
    if (podOf(object)) expect(podOf(object)?.metadata.labels?.cost).toBe('shared');
  }
});

test('sidecars of Jobs and test pods are restartable init containers, so that the pod can end', async () => {
  const values = { 'global.initContainers': [{ name: 'wait', image: 'busybox' }] };
  const { objects } = await render(helm, 'tocsin', [
    minimal,
    { ...values, 'global.sidecars': [{ name: 'proxy', image: 'envoy' }] },
  ]);
  const ending = objects.filter((object) => podOf(object)?.spec.restartPolicy);
  expect(ending.map(({ kind }) => kind).sort()).toEqual(['Job', 'Pod']);
  for (const object of ending) {
    expect(podOf(object)?.spec.containers).toHaveLength(1);
    expect(podOf(object)?.spec.initContainers).toEqual([
      { name: 'wait', image: 'busybox' },
      { name: 'proxy', image: 'envoy', restartPolicy: 'Always' },
    ]);
  }
});

test('the grace period includes drainSeconds and preStopSeconds, and the program gets drainSeconds', async () => {
  const values = { 'global.preStopSeconds': 12, 'monitor.drainSeconds': 30 };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const pod = named(objects, 'Deployment', 'acme-tocsin-monitor')?.spec?.template;
  expect(pod?.spec.terminationGracePeriodSeconds).toBe(47);
  expect(containerOf(pod).lifecycle).toEqual({ preStop: { sleep: { seconds: 12 } } });
  expect(containerOf(pod).env).toContainEqual({ name: 'TOCSIN_DRAIN_S', value: '30' });
});

test('a pod with preStopSeconds 0 has no preStop hook, because Kubernetes before 1.33 refuses a sleep of 0', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal, { 'monitor.preStopSeconds': 0 }]);
  const pod = named(objects, 'Deployment', 'acme-tocsin-monitor')?.spec?.template;
  expect(containerOf(pod).lifecycle).toBeUndefined();
  expect(pod?.spec.terminationGracePeriodSeconds).toBe(25);
});

test.each([
  ['tocsin', minimal],
  ['tocsin-region', minimalRegion],
])('a checker of %s has enough time to finish its longest check after SIGTERM', async (chart, file) => {
  const { objects } = await render(helm, chart, [file]);
  const checker = ofKind(objects, 'Deployment').find(({ metadata }) => metadata.name.endsWith('-checker'));
  const seconds = containerOf(podOf(checker as KubernetesObject)).env.find(({ name }) => name === 'TOCSIN_DRAIN_S');
  // Starting and ending the browser have separate time limits.
  const source = await readFile(
    join(chartsFolder, '../../services/checker/src/probes/synthetic/run-process.ts'),
    'utf8',
  );
  const [start, end] = ['START_WITHIN_MS', 'END_WITHIN_MS'].map((name) =>
    Number(new RegExp(`const ${name} = ([\\d_]+);`).exec(source)?.[1]?.replace('_', '')),
  );
  const longest = (start as number) + MONITOR_SETTINGS.timeout_ms.maximum + (end as number);
  expect(longest).toBeGreaterThan(60_000);
  expect(Number(seconds?.value) * 1000).toBeGreaterThanOrEqual(longest);
});

test('a variable in env replaces the variable that the chart sets, and no container has a variable twice', async () => {
  const fromSecret = { valueFrom: { secretKeyRef: { name: 'more', key: 'level' } } };
  const fromMap = { valueFrom: { configMapKeyRef: { name: 'more', key: 'level' } } };
  const { objects } = await render(helm, 'tocsin', [
    minimal,
    {
      'gateway.env': { TOCSIN_LINGER_S: 15 },
      'global.env': { TOCSIN_LOG_LEVEL: fromSecret, TOCSIN_VAULT_KEYS_FILE: '/vault/keys', TOCSIN_BASE_URL: '' },
      'monitor.env': { TOCSIN_LOG_LEVEL: fromMap },
      'notifier.env': { TOCSIN_LOG_LEVEL: 'debug' },
    },
  ]);
  const pods = objects.filter(podOf);
  for (const object of pods) {
    const names = containerOf(podOf(object)).env.map(({ name }) => name);
    expect([shortName(object), names]).toEqual([shortName(object), [...new Set(names)]]);
    expect(names).not.toContain('TOCSIN_VAULT_KEYS');
  }
  const variables = (component: string) =>
    containerOf(named(objects, 'Deployment', `acme-tocsin-${component}`)?.spec?.template).env;
  expect(variables('gateway')).toContainEqual({ name: 'TOCSIN_LINGER_S', value: '15' });
  expect(variables('gateway')).toContainEqual({ name: 'TOCSIN_BASE_URL', value: '' });
  expect(variables('gateway')).toContainEqual({ name: 'TOCSIN_VAULT_KEYS_FILE', value: '/vault/keys' });
  expect(variables('gateway')).toContainEqual({ name: 'TOCSIN_LOG_LEVEL', ...fromSecret });
  expect(variables('monitor')).toContainEqual({ name: 'TOCSIN_LOG_LEVEL', ...fromMap });
  expect(variables('notifier')).toContainEqual({ name: 'TOCSIN_LOG_LEVEL', value: 'debug' });
});

test('labels of the values replace labels of the chart, but not the labels that select pods', async () => {
  const labels = { 'app.kubernetes.io/part-of': 'shop', 'app.kubernetes.io/name': 'other', team: 'a' };
  const { objects } = await render(helm, 'tocsin', [minimal, { labels, 'global.podLabels': { team: 'b' } }]);
  const deployment = named(objects, 'Deployment', 'acme-tocsin-monitor');
  const chosen = { 'app.kubernetes.io/part-of': 'shop', 'app.kubernetes.io/name': 'tocsin' };
  expect(deployment?.metadata.labels).toMatchObject({ ...chosen, team: 'a' });
  expect(deployment?.spec?.template?.metadata.labels).toMatchObject({ ...chosen, team: 'b' });
});

test('annotations are set on every Deployment and Job, and serviceAccountAnnotations on every ServiceAccount', async () => {
  const values = { 'global.annotations': { a: 'x' }, 'global.serviceAccountAnnotations': { b: 'y' } };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const workloads = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')];
  expect(workloads.map(({ metadata }) => metadata.annotations?.a)).toEqual(Array(8).fill('x'));
  const accounts = ofKind(objects, 'ServiceAccount');
  expect(accounts.map(({ metadata }) => metadata.annotations?.b)).toEqual(Array(9).fill('y'));
});
