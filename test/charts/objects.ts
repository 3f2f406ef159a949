/** Parts of Kubernetes objects that the tests read. Their whole form is checked against the schemas of Kubernetes. */
export interface PodTemplate {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
}

export interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PodSpec {
  readonly [field: string]: unknown;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext: { readonly runAsUser: number };
  readonly terminationGracePeriodSeconds: number;
  readonly restartPolicy?: string;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly [Container, ...Container[]];
  readonly volumes: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit: string } }[];
}

export interface Container {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly env: readonly Variable[];
  readonly resources: { readonly limits: unknown };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly unknown[];
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly key: string } };
}

/** Source or destination in a rule of a network policy. */
export interface Peer {
  readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

/** Fields below `spec` of the kinds that the tests read. */
export interface ObjectSpec {
  readonly selector?: unknown;
  readonly template?: PodTemplate;
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly volumeClaimTemplates?: unknown;
  readonly clusterIP?: string;
  readonly type?: string;
  readonly ports?: readonly { readonly name: string; readonly port: number }[];
  readonly scaleTargetRef?: { readonly name: string };
  readonly minReplicas?: number;
  readonly egress?: readonly { readonly to?: readonly Peer[] }[];
  readonly ingress?: readonly { readonly from?: readonly Peer[] }[];
}

/** A Kubernetes object as it is sent to the API server. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: ObjectSpec;
}

/** Returns the object of a kind with a name. */
export function named(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject | undefined {
  return objects.find((object) => object.kind === kind && object.metadata.name === name);
}

export function ofKind(objects: readonly KubernetesObject[], kind: string): KubernetesObject[] {
  return objects.filter((object) => object.kind === kind);
}

/**
 * Returns the pod that an object describes: a Pod itself, or the pod template of a workload. Returns undefined for
 * other kinds.
 */
export function podOf(object: KubernetesObject): PodTemplate | undefined {
  if (object.kind !== 'Pod') return object.spec?.template;
  // The spec of a Pod has the same form as the spec of a pod template.
  return object as unknown as PodTemplate;
}

/** Returns the first container of a pod, which runs the program. */
export function containerOf(pod: PodTemplate | undefined): Container {
  if (!pod) throw new Error('the object has no pod');
  return pod.spec.containers[0];
}

/** Returns the name of a component without the name of the release. */
export function shortName({ metadata }: KubernetesObject): string {
  return metadata.name.replace('acme-tocsin-', '');
}
