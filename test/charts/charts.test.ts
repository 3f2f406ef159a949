import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as checker from '@tocsin/checker/config';
import * as disruption from '@tocsin/disruption/config';
import * as gateway from '@tocsin/gateway/config';
import * as identity from '@tocsin/identity/config';
import * as monitor from '@tocsin/monitor/config';
import * as notifier from '@tocsin/notifier/config';
import * as statuspage from '@tocsin/statuspage/config';
import { generateVaultKey } from '@tocsin/vault';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  buildHelm,
  chartsFolder,
  HELM_COMMANDS,
  type HelmVersion,
  type KubernetesObject,
  lint,
  podOf,
  refusalOf,
  render,
} from './helm.ts';
import { KubernetesSchema } from './kubernetes-schema.ts';

/** Limit in milliseconds for building Helm on a new machine. */
const BUILD_LIMIT_MS = 1_200_000;

const versions = Object.keys(HELM_COMMANDS) as HelmVersion[];
const helms = new Map<HelmVersion, string>();
let helm = '';
let schema: KubernetesSchema;

beforeAll(async () => {
  for (const version of versions) helms.set(version, await buildHelm(version));
  helm = helms.get(versions[0] as HelmVersion) ?? '';
  schema = await KubernetesSchema.load();
}, BUILD_LIMIT_MS);

const valuesFile = (chart: string, name: string) => join(chartsFolder, chart, 'ci', name);
const minimal = valuesFile('tocsin', 'minimal-values.yaml');
const minimalRegion = valuesFile('tocsin-region', 'minimal-values.yaml');

/** All values with which the charts are rendered: chart, and name of the file. */
const examples = ['tocsin', 'tocsin-region'].flatMap((chart) =>
  readdirSync(join(chartsFolder, chart, 'ci')).map((name) => [chart, name] as const),
);
const installed = [['tocsin', '../quickstart-values.yaml'] as const, ...examples];

const named = (objects: readonly KubernetesObject[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const ofKind = (objects: readonly KubernetesObject[], kind: string) => objects.filter((object) => object.kind === kind);
/** Objects of the chart itself, without extraObjects. */
const own = (objects: readonly KubernetesObject[]) =>
  objects.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/part-of'] === 'tocsin');

describe.each(installed)('%s with %s', (chart, file) => {
  const values = [valuesFile(chart, file)];

  test.each(versions)('passes the strict checks of Helm %s', async (version) => {
    await lint(helms.get(version) ?? '', chart, values);
  });

  test('is rendered to the same bytes each time, and to the same objects by both versions of Helm', async () => {
    const [first, second, again] = await Promise.all(
      [...helms.values(), helm].map((binary) => render(binary, chart, values)),
    );
    expect(again?.text).toBe(first?.text);
    const byName = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
    const sorted = (objects: readonly KubernetesObject[] = []) =>
      [...objects].sort((a, b) => (byName(a) < byName(b) ? -1 : 1));
    expect(sorted(second?.objects)).toEqual(sorted(first?.objects));
  });

  test('consists of objects that Kubernetes accepts, all of them in the namespace', async () => {
    const { objects } = await render(helm, chart, values);
    expect(objects.length).toBeGreaterThan(3);
    expect(objects.flatMap((object) => schema.errorsOf(object).map((error) => `${object.kind}: ${error}`))).toEqual([]);
    const clusterWide = /^(Cluster.*|Namespace|CustomResourceDefinition|PersistentVolume|StorageClass|.*Webhook.*)$/;
    expect(objects.filter(({ kind }) => clusterWide.test(kind))).toEqual([]);
    expect(objects.filter(({ kind }) => ['Role', 'RoleBinding', 'Secret'].includes(kind))).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('has only pods that satisfy the Pod Security Standard "restricted" and have no token', async () => {
    const { objects } = await render(helm, chart, values);
    for (const object of objects) {
      const pod = podOf(object);
      if (!pod) continue;
      const { securityContext, hostNetwork, hostPID, hostIPC, volumes = [], automountServiceAccountToken } = pod.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect([hostNetwork, hostPID, hostIPC]).toEqual([undefined, undefined, undefined]);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(volumes.filter((volume: object) => 'hostPath' in volume)).toEqual([]);
      for (const container of pod.spec.containers) {
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

  test('an upgrade to another image changes no field that can not be changed', async () => {
    const before = await render(helm, chart, values);
    const digest = `sha256:${'a'.repeat(64)}`;
    const after = await render(helm, chart, [
      ...values,
      { 'global.image.digest': digest, 'checker.image.digest': digest },
    ]);
    const deployments = ofKind(own(after.objects), 'Deployment');
    for (const deployment of deployments) {
      const earlier = named(before.objects, 'Deployment', deployment.metadata.name);
      expect(deployment.spec.selector).toEqual(earlier?.spec.selector);
      expect(deployment.spec.template.spec.containers[0].image).toContain(digest);
    }
    expect(deployments.length).toBe(ofKind(own(before.objects), 'Deployment').length);
    // A Job can't be changed at all, so a changed Job must have another name.
    for (const job of ofKind(after.objects, 'Job')) {
      const earlier = named(before.objects, 'Job', job.metadata.name);
      if (earlier) expect(job).toEqual(earlier);
    }
    for (const service of ofKind(after.objects, 'Service')) {
      const earlier = named(before.objects, 'Service', service.metadata.name);
      expect(service.spec.clusterIP).toBe(earlier?.spec.clusterIP);
    }
  });
});

/** A value for each setting that every pod has, and its expected form in a pod. */
const settings: Readonly<
  Record<string, { value: unknown; shown: (pod: KubernetesObject['spec']) => unknown; as?: unknown }>
> = {
  imagePullSecrets: { value: [{ name: 'registry' }], shown: ({ spec }) => spec.imagePullSecrets },
  podLabels: { value: { team: 'sre' }, shown: ({ metadata }) => metadata.labels.team, as: 'sre' },
  labels: { value: { cost: '42' }, shown: ({ metadata }) => metadata.labels.cost, as: '42' },
  podAnnotations: { value: { note: 'x' }, shown: ({ metadata }) => metadata.annotations?.note, as: 'x' },
  env: {
    value: { TOCSIN_X: 5, TOCSIN_Y: { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } } },
    shown: ({ spec }) => spec.containers[0].env.filter(({ name }: { name: string }) => /^TOCSIN_[XY]$/.test(name)),
    as: [
      { name: 'TOCSIN_X', value: '5' },
      { name: 'TOCSIN_Y', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ],
  },
  envFrom: { value: [{ configMapRef: { name: 'more' } }], shown: ({ spec }) => spec.containers[0].envFrom },
  logLevel: {
    value: 'debug',
    shown: ({ spec }) =>
      spec.containers[0].env.find(({ name }: { name: string }) => name === 'TOCSIN_LOG_LEVEL')?.value,
  },
  resources: {
    value: { limits: { cpu: '2', memory: '1Gi' } },
    shown: ({ spec }) => spec.containers[0].resources.limits,
    as: { cpu: '2', memory: '1Gi' },
  },
  podSecurityContext: {
    value: { runAsUser: 4_000_000_000 },
    shown: ({ spec }) => spec.securityContext.runAsUser,
    as: 4_000_000_000,
  },
  securityContext: {
    value: { runAsGroup: 7 },
    shown: ({ spec }) => spec.containers[0].securityContext.runAsGroup,
    as: 7,
  },
  drainSeconds: { value: 100, shown: ({ spec }) => spec.terminationGracePeriodSeconds, as: 110 },
  nodeSelector: { value: { disk: 'ssd' }, shown: ({ spec }) => spec.nodeSelector },
  tolerations: { value: [{ key: 'a', operator: 'Exists' }], shown: ({ spec }) => spec.tolerations },
  affinity: { value: { podAffinity: {} }, shown: ({ spec }) => spec.affinity },
  topologySpreadConstraints: { value: [], shown: ({ spec }) => spec.topologySpreadConstraints, as: undefined },
  priorityClassName: { value: 'high', shown: ({ spec }) => spec.priorityClassName },
  runtimeClassName: { value: 'gvisor', shown: ({ spec }) => spec.runtimeClassName },
  tmpSize: { value: '3Gi', shown: ({ spec }) => spec.volumes[0].emptyDir.sizeLimit },
  volumes: { value: [{ name: 'ca', configMap: { name: 'ca' } }], shown: ({ spec }) => spec.volumes.slice(1) },
  volumeMounts: {
    value: [{ name: 'ca', mountPath: '/ca' }],
    shown: ({ spec }) => spec.containers[0].volumeMounts.slice(1),
  },
  initContainers: { value: [{ name: 'wait', image: 'busybox' }], shown: ({ spec }) => spec.initContainers },
  sidecars: { value: [{ name: 'proxy', image: 'envoy' }], shown: ({ spec }) => spec.containers.slice(1) },
  image: {
    value: { registry: 'r.example', repository: 'x', tag: '7', pullPolicy: 'Always' },
    shown: ({ spec }) => [spec.containers[0].image, spec.containers[0].imagePullPolicy],
    as: ['r.example/x:7', 'Always'],
  },
};

/** Settings that do not concern pods. */
const notOfPods = [
  'annotations',
  'serviceAccountAnnotations',
  'replicas',
  'preStopSeconds',
  'service',
  'autoscaling',
  'keda',
];

/** Settings that the checker's defaults of the chart replace. */
const ownOfChecker = ['image', 'resources', 'tmpSize'];

test('the table of settings contains each of values.yaml', async () => {
  for (const chart of ['tocsin', 'tocsin-region']) {
    const { global } = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
    expect([...Object.keys(settings), ...notOfPods].sort()).toEqual(Object.keys(global).sort());
  }
});

test.each(Object.entries(settings))('global.%s reaches every pod, jobs and tests included', async (name, setting) => {
  const { value, shown, as = 'as' in setting ? undefined : value } = setting;
  const { objects } = await render(helm, 'tocsin', [minimal, { [`global.${name}`]: value }]);
  const pods = objects.flatMap((object) => (podOf(object) ? [[object.metadata.name, podOf(object)] as const] : []));
  expect(pods).toHaveLength(9);
  for (const [pod, template] of pods) {
    if (pod === 'acme-tocsin-checker' && ownOfChecker.includes(name)) continue;
    expect({ pod, shown: shown(template) }).toEqual({ pod, shown: as });
  }
});

test.each(Object.entries(settings).filter(([name]) => name !== 'labels'))(
  'a component has its own %s, and the others do not',
  async (name, setting) => {
    const { value, shown, as = 'as' in setting ? undefined : value } = setting;
    for (const component of ['notifier', 'migrate', 'checker']) {
      const { objects } = await render(helm, 'tocsin', [minimal, { [`${component}.${name}`]: value }]);
      for (const object of objects.filter(podOf)) {
        const isMeant = object.metadata.labels?.['app.kubernetes.io/component'] === component;
        if (isMeant) expect(shown(podOf(object))).toEqual(as);
        else expect(shown(podOf(object))).not.toEqual(as ?? value);
      }
    }
  },
);

test('drainSeconds and preStopSeconds make up the grace period', async () => {
  const values = { 'global.preStopSeconds': 12, 'monitor.drainSeconds': 30 };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const pod = podOf(named(objects, 'Deployment', 'acme-tocsin-monitor') as KubernetesObject);
  expect(pod.spec.terminationGracePeriodSeconds).toBe(47);
  expect(pod.spec.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 12 } } });
});

test('replicas are left out with autoscaling, and only several replicas have a disruption budget', async () => {
  const values = {
    'gateway.replicas': 3,
    'monitor.autoscaling': { enabled: true, minReplicas: 2 },
    'notifier.keda': { enabled: true, minReplicas: 1, triggers: [{ type: 'cron', metadata: {} }] },
  };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const replicas = Object.fromEntries(
    ofKind(objects, 'Deployment').map(({ metadata, spec }) => [
      metadata.name.replace('acme-tocsin-', ''),
      spec.replicas,
    ]),
  );
  expect(replicas).toEqual({
    checker: 1,
    disruption: 1,
    gateway: 3,
    identity: 1,
    monitor: undefined,
    notifier: undefined,
    statuspage: 1,
  });
  const budgets = ofKind(objects, 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
  expect(budgets.sort()).toEqual(['acme-tocsin-gateway', 'acme-tocsin-monitor']);
  expect(
    ofKind(objects, 'HorizontalPodAutoscaler').map(({ spec }) => [spec.scaleTargetRef.name, spec.minReplicas]),
  ).toEqual([['acme-tocsin-monitor', 2]]);
  expect(ofKind(objects, 'ScaledObject').map(({ spec }) => spec.scaleTargetRef.name)).toEqual(['acme-tocsin-notifier']);
});

test('the name of the migration job changes if and only if its template does', async () => {
  const nameWith = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    return ofKind(objects, 'Job')[0]?.metadata.name;
  };
  const name = await nameWith({});
  expect(name).toMatch(/^acme-tocsin-migrate-[0-9a-f]{10}$/);
  expect(await nameWith({ 'gateway.replicas': 5, 'migrate.backoffLimit': 3 })).toBe(name);
  expect(await nameWith({ 'global.image.tag': '9' })).not.toBe(name);
});

test('services migrate by themselves only without the job', async () => {
  const modes = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    const variables = ofKind(objects, 'Deployment').flatMap(({ spec }) => spec.template.spec.containers[0].env);
    return variables.filter(({ name }) => name === 'TOCSIN_MIGRATIONS').map(({ value }) => value);
  };
  expect(await modes({})).toEqual(Array(6).fill('wait'));
  expect(await modes({ 'migrate.enabled': false })).toEqual(Array(6).fill('run'));
});

test('a pod gets only the keys of the secret that its program needs', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal]);
  const deployments = ofKind(objects, 'Deployment');
  const keys = Object.fromEntries(
    deployments.map(({ metadata, spec }) => [
      metadata.name.replace('acme-tocsin-', ''),
      spec.template.spec.containers[0].env
        .flatMap(
          ({ valueFrom }: { valueFrom?: { secretKeyRef: { key: string } } }) => valueFrom?.secretKeyRef.key ?? [],
        )
        .sort(),
    ]),
  );
  const usual = (name: string) => [`nats-url-${name}`, `service-secret-${name}`];
  const stored = (name: string) => ['database-url', `database-url-${name}`, ...usual(name)];
  expect(keys).toEqual({
    checker: usual('checker'),
    disruption: stored('disruption'),
    statuspage: stored('statuspage'),
    gateway: [...stored('gateway'), 'vault-keys'],
    monitor: [...stored('monitor'), 'vault-keys'],
    notifier: [...stored('notifier'), 'smtp-url', 'vault-keys'],
    identity: [...stored('identity'), 'service-secrets', 'vault-keys'],
  });
  expect(JSON.stringify(ofKind(objects, 'Pod'))).not.toContain('secretKeyRef');
});

/** Edges between programs: each program, and the programs that it calls. */
const edges: Readonly<Record<string, readonly string[]>> = {
  gateway: ['disruption', 'identity', 'monitor', 'notifier', 'statuspage'],
  identity: ['notifier'],
  monitor: ['identity', 'notifier', 'statuspage'],
  checker: ['identity', 'monitor'],
  disruption: ['identity', 'statuspage'],
  statuspage: ['identity', 'monitor'],
  notifier: ['disruption', 'identity', 'monitor', 'statuspage'],
  migrate: [],
  test: ['gateway'],
};

test("the named edges are those of the programs' configurations", () => {
  const names = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier'];
  const env = {
    ...Object.fromEntries(names.map((name) => [`TOCSIN_${name.toUpperCase()}_URL`, `http://${name}.example`])),
    TOCSIN_BASE_URL: 'http://base',
    TOCSIN_DATABASE_URL: 'postgres://u:p@db/tocsin',
    TOCSIN_NATS_URL: 'nats://u:p@nats:4222',
    TOCSIN_VAULT_KEYS: generateVaultKey('k'),
    TOCSIN_SERVICE_SECRET: 'x'.repeat(43),
    TOCSIN_SERVICE_SECRETS: `admin:${'x'.repeat(43)}`,
  };
  const configs = { gateway, identity, monitor, checker, disruption, statuspage, notifier };
  for (const [name, { loadConfig }] of Object.entries(configs)) {
    const text = JSON.stringify(loadConfig(env));
    expect([name, names.filter((callee) => text.includes(`http://${callee}.example`)).sort()]).toEqual([
      name,
      edges[name],
    ]);
  }
});

interface Peer {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
}
const componentOf = ({ podSelector }: Peer) => podSelector?.matchLabels['app.kubernetes.io/component'] ?? [];

test('network policies deny everything but the named edges, on both sides', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal]);
  const policies = ofKind(objects, 'NetworkPolicy');
  const deny = named(objects, 'NetworkPolicy', 'acme-tocsin-deny-all');
  expect(deny?.spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'tocsin', 'app.kubernetes.io/instance': 'acme' } },
    policyTypes: ['Ingress', 'Egress'],
  });
  const out: Record<string, string[]> = {};
  const back: Record<string, string[]> = Object.fromEntries(Object.keys(edges).map((name) => [name, []]));
  for (const { metadata, spec } of policies.filter((policy) => policy !== deny)) {
    const name = metadata.name.replace('acme-tocsin-', '');
    out[name] = (spec.egress as { to?: Peer[] }[]).flatMap(({ to }) => (to ?? []).flatMap(componentOf)).sort();
    for (const { from = [] } of (spec.ingress ?? []) as { from?: Peer[] }[]) {
      for (const peer of from.flatMap(componentOf)) back[peer]?.push(name);
    }
  }
  expect(out).toEqual(edges);
  expect(Object.fromEntries(Object.entries(back).map(([name, callees]) => [name, callees.sort()]))).toEqual(edges);
});

test('only programs that reach addresses of tenants may leave the cluster, and not to private ranges', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal, { 'networkPolicy.allowedTargets': ['10.9.0.0/16'] }]);
  const ranges = Object.fromEntries(
    ofKind(objects, 'NetworkPolicy').map(({ metadata, spec }) => [
      metadata.name.replace('acme-tocsin-', ''),
      ((spec.egress ?? []) as { to?: { ipBlock?: { cidr: string; except?: string[] } }[] }[]).flatMap(({ to }) =>
        (to ?? []).flatMap(({ ipBlock }) => ipBlock ?? []),
      ),
    ]),
  );
  for (const [name, blocks] of Object.entries(ranges)) {
    const reaches = ['checker', 'notifier', 'statuspage'].includes(name);
    expect([name, blocks.map(({ cidr }) => cidr)]).toEqual([name, reaches ? ['0.0.0.0/0', '::/0', '10.9.0.0/16'] : []]);
    if (reaches)
      expect(blocks[0]?.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16']));
  }
});

test.each<[string, object, RegExp]>([
  ['an unknown setting', { gatway: {} }, /additional properties 'gatway' not allowed/],
  [
    'an unknown setting of a component',
    { 'monitor.replica': 2 },
    /\/monitor.*additional properties 'replica' not allowed/s,
  ],
  ['a text for a number', { 'gateway.replicas': 'two' }, /replicas.*got string, want integer/s],
  ['a digest that is none', { 'global.image.digest': 'latest' }, /digest.*does not match pattern/s],
  ['no public URL', { baseUrl: '' }, /baseUrl is required: the public URL/],
  ['a base URL without scheme', { baseUrl: 'status.example.com' }, /baseUrl.*does not match pattern/s],
  ['no secret', { existingSecret: '' }, /existingSecret is required/],
  [
    'a checker of a region that monitor does not know',
    { 'checker.region': 'mars' },
    /checker.region is "mars", which is not one of regions/,
  ],
  ['an Ingress without host', { 'ingress.enabled': true }, /ingress.hosts needs at least one host/],
  ['a route without Gateway', { 'httpRoute.enabled': true }, /httpRoute.parentRefs needs at least one Gateway/],
])('%s is refused with a message that says so', async (_name, values, message) => {
  expect(await refusalOf(helm, 'tocsin', [minimal, values])).toMatch(message);
});

test.each(['region', 'identityUrl', 'monitorUrl', 'baseUrl', 'existingSecret'])(
  'a region without %s is refused',
  async (name) => {
    expect(await refusalOf(helm, 'tocsin-region', [minimalRegion, { [name]: '' }])).toContain(`${name} is required`);
  },
);

test.each(['tocsin', 'tocsin-region'])('the schema of %s names exactly the settings of values.yaml', async (chart) => {
  const values = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
  const { properties } = JSON.parse(await readFile(join(chartsFolder, chart, 'values.schema.json'), 'utf8'));
  const known = Object.keys(properties).filter((name) => !['tocsin-pods', 'test'].includes(name));
  expect(known.sort()).toEqual(Object.keys(values).sort());
  for (const [name, value] of Object.entries(values)) {
    const nested = properties[name].properties;
    if (
      nested &&
      ['networkPolicy', 'ingress', 'httpRoute', 'serviceMonitor', 'prometheusRule', 'global'].includes(name)
    ) {
      expect(Object.keys(nested).sort()).toEqual(Object.keys(value as object).sort());
    }
  }
});

test('templates use neither random values nor the state of the cluster', async () => {
  for (const chart of ['tocsin', 'tocsin-region', 'tocsin-pods']) {
    const folder = join(chartsFolder, chart, 'templates');
    for (const file of await readdir(folder, { recursive: true })) {
      if (!/\.(yaml|tpl|txt)$/.test(file)) continue;
      const text = await readFile(join(folder, file), 'utf8');
      expect([file, /\b(rand[A-Z]\w*|genCA|genSignedCert|uuidv4|now|lookup)\b/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ]);
    }
  }
});

test('alerts and dashboard use metrics that exist, and each alert has a runbook', async () => {
  const root = join(chartsFolder, '..', '..');
  const alerts = parse(await readFile(join(chartsFolder, 'tocsin/files/alerts.yaml'), 'utf8'));
  const dashboard = await readFile(join(chartsFolder, 'tocsin/files/dashboard.json'), 'utf8');
  const expressions = [...alerts.map(({ expr }: { expr: string }) => expr), dashboard].join('\n');
  const used = new Set(expressions.match(/tocsin_\w+?(?=_bucket|_count|_sum|\b)/g));
  expect(used.size).toBeGreaterThan(10);
  const members = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((member) => join(root, folder, member, 'src')),
  );
  const sources = [...members, join(root, 'gateway/src')].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  const text = sources.join('\n');
  expect([...used].filter((metric) => !text.includes(`'${metric}'`))).toEqual([]);
  const runbooks = await readFile(join(root, 'docs/operations/runbooks.md'), 'utf8');
  const without = alerts
    .map(({ alert }: { alert: string }) => alert)
    .filter((alert: string) => !runbooks.includes(`## ${alert}\n`));
  expect(without).toEqual([]);
});
