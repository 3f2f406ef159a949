import { expect, test } from 'vitest';
import { buildHelm, HELM, minimal, render } from './helm.ts';
import { containerOf, ofKind, podOf, shortName } from './objects.ts';

const helm = await buildHelm(HELM);

test('with autoscaling, no number of replicas is set, and only components with several replicas have a disruption budget', async () => {
  const values = {
    'gateway.replicas': 3,
    'monitor.autoscaling': { enabled: true, minReplicas: 2 },
    'notifier.keda': { enabled: true, minReplicas: 1, triggers: [{ type: 'cron', metadata: {} }] },
  };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const replicas = Object.fromEntries(
    ofKind(objects, 'Deployment').map((deployment) => [shortName(deployment), deployment.spec?.replicas]),
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
    ofKind(objects, 'HorizontalPodAutoscaler').map(({ spec }) => [spec?.scaleTargetRef?.name, spec?.minReplicas]),
  ).toEqual([['acme-tocsin-monitor', 2]]);
  expect(ofKind(objects, 'ScaledObject').map(({ spec }) => spec?.scaleTargetRef?.name)).toEqual([
    'acme-tocsin-notifier',
  ]);
});

test('a stopped installation has no pods, whatever its replicas and autoscaling', async () => {
  const values = {
    'gateway.replicas': 3,
    'monitor.autoscaling': { enabled: true },
    'notifier.keda': { enabled: true, triggers: [{ type: 'cron', metadata: {} }] },
  };
  const { objects } = await render(helm, 'tocsin', [minimal, { ...values, stopped: true }]);
  expect(ofKind(objects, 'Deployment').map(({ spec }) => spec?.replicas)).toEqual(Array(7).fill(0));
  const kinds = objects.map(({ kind }) => kind);
  for (const kind of ['Job', 'HorizontalPodAutoscaler', 'ScaledObject', 'PodDisruptionBudget'])
    expect(kinds).not.toContain(kind);
});

test('the name of the migration job changes if and only if its pod template changes', async () => {
  const nameWith = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    return ofKind(objects, 'Job')[0]?.metadata.name;
  };
  const name = await nameWith({});
  expect(name).toMatch(/^acme-tocsin-migrate-[0-9a-f]{10}$/);
  expect(await nameWith({ 'gateway.replicas': 5, 'migrations.backoffLimit': 3 })).toBe(name);
  expect(await nameWith({ 'global.image.tag': '9' })).not.toBe(name);
});

test('services run their own migrations only if the chart has no migration job', async () => {
  const modes = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    const variables = ofKind(objects, 'Deployment').flatMap(({ spec }) => containerOf(spec?.template).env);
    return variables.filter(({ name }) => name === 'TOCSIN_MIGRATIONS').map(({ value }) => value);
  };
  expect(await modes({})).toEqual(Array(6).fill('wait'));
  expect(await modes({ 'migrations.enabled': false })).toEqual(Array(6).fill('run'));
});

test('only the migration job gets the database URL of the table owner; without this job, every program with a database gets it', async () => {
  const ownerKeys = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    const pods = [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')].filter((workload) =>
      containerOf(podOf(workload)).env.some(({ name }) => name === 'TOCSIN_OWNER_DATABASE_URL'),
    );
    return pods.map(shortName);
  };
  expect((await ownerKeys({})).map((name) => name.replace(/-[0-9a-f]{10}$/, ''))).toEqual(['migrate']);
  expect((await ownerKeys({ 'migrations.enabled': false })).sort()).toEqual([
    'disruption',
    'gateway',
    'identity',
    'monitor',
    'notifier',
    'statuspage',
  ]);
});

test('with TLS, each program mounts its own certificates, is called with https, and is probed without a certificate', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal, { 'tls.existingSecret': 'certs' }]);
  const deployments = ofKind(objects, 'Deployment');
  expect(deployments).toHaveLength(7);
  for (const deployment of deployments) {
    const name = shortName(deployment);
    const container = containerOf(podOf(deployment));
    expect(podOf(deployment)).toMatchObject({
      spec: { volumes: expect.arrayContaining([{ name: 'tls', secret: { secretName: `certs-${name}` } }]) },
    });
    expect(container).toMatchObject({
      volumeMounts: expect.arrayContaining([{ name: 'tls', mountPath: '/tls', readOnly: true }]),
    });
    expect(container.env).toContainEqual({ name: 'TOCSIN_TLS_DIR', value: '/tls' });
    const urls = container.env.filter(({ name: variable }) =>
      /^TOCSIN_(IDENTITY|MONITOR|NOTIFIER)_URL$/.test(variable),
    );
    expect(urls.length).toBeGreaterThan(1);
    for (const { value } of urls) expect(value).toMatch(/^https:/);
    expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/serving', port: 'admin' } });
  }
  const without = await render(helm, 'tocsin', [minimal]);
  expect(JSON.stringify(without.objects)).not.toMatch(/TOCSIN_TLS_DIR|https:\/\/acme/);
});

test('a pod gets only those keys of the secret that its program needs', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal]);
  const keys = Object.fromEntries(
    ofKind(objects, 'Deployment').map((deployment) => [
      shortName(deployment),
      containerOf(podOf(deployment))
        .env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])
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

test('a Service that is reachable from outside of the cluster has no admin port, and regions get Services of their own', async () => {
  const values = { 'gateway.service.type': 'LoadBalancer', 'identity.service': { type: 'NodePort' } };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const services = ofKind(objects, 'Service');
  const published = services.filter(({ spec }) => spec?.type !== undefined);
  expect(
    published.map(({ metadata, spec }) => [metadata.name, spec?.type, spec?.ports?.map(({ port }) => port)]),
  ).toEqual([
    ['acme-tocsin-gateway', 'LoadBalancer', [80]],
    ['acme-tocsin-identity-regions', 'NodePort', [7101]],
  ]);
  const admin = services.filter(({ spec }) => spec?.ports?.some(({ name }) => name === 'admin'));
  expect(admin).toHaveLength(7);
  expect(admin.map(({ metadata }) => metadata.name)).toContain('acme-tocsin-gateway-admin');
  for (const { spec } of admin) expect(spec?.clusterIP).toBe('None');
  const everywhere = await render(helm, 'tocsin', [minimal, { 'global.service.type': 'LoadBalancer' }]);
  const types = ofKind(everywhere.objects, 'Service').flatMap(({ metadata, spec }) =>
    spec?.type ? [metadata.name] : [],
  );
  expect(types).toEqual(['acme-tocsin-gateway']);
});
