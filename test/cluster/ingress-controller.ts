import { apply, kubectl } from './kubernetes.ts';
import { GATEWAY_RESOURCES } from './node/folders.ts';

const PORT = 8000;

/** Permissions that Traefik needs according to its documentation. */
const rules = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'namespaces', 'nodes', 'secrets', 'services'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['update'] },
  { apiGroups: ['gateway.networking.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
];

/**
 * Starts Traefik in a new namespace, as the controller of Ingresses of the class `traefik` and of a Gateway named
 * `public`. For each name in `services`, also creates a Service that routes to Traefik.
 */
export async function startIngressController(namespace: string, services: readonly string[]): Promise<void> {
  await kubectl('apply', '--server-side', '--filename', GATEWAY_RESOURCES);
  await kubectl('wait', '--for=condition=Established', 'crd/gateways.gateway.networking.k8s.io', '--timeout=30s');
  const name = 'traefik';
  const labels = { app: name };
  const metadata = { name, namespace };
  const args = [
    `--entryPoints.web.address=:${PORT}`,
    '--providers.kubernetesIngress=true',
    '--providers.kubernetesIngress.ingressClass=traefik',
    '--providers.kubernetesGateway=true',
    '--ping=true',
    '--ping.entryPoint=web',
    '--global.checkNewVersion=false',
    '--log.level=INFO',
  ];
  const container = {
    name,
    image: 'traefik:3.7',
    args,
    ports: [{ name: 'web', containerPort: PORT }],
    readinessProbe: { httpGet: { path: '/ping', port: PORT }, periodSeconds: 1 },
  };
  await apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { serviceAccountName: name, containers: [container] } },
      },
    },
    ...services.map((service) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace },
      spec: { selector: labels, ports: [{ port: 80, targetPort: PORT }] },
    })),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: { controller: 'traefik.io/ingress-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'public', namespace },
      spec: {
        gatewayClassName: name,
        listeners: [{ name: 'web', port: PORT, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } }],
      },
    },
  );
  await kubectl('rollout', 'status', 'deployment/traefik', '--namespace', namespace, '--timeout=120s');
}
