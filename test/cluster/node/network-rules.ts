/** Labels by name. */
type Labels = Readonly<Record<string, string>>;

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Labels;
}

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Port {
  readonly port: number | string;
  readonly protocol?: string;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}

export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec: {
    readonly hostNetwork?: boolean;
    readonly containers: readonly {
      readonly ports?: readonly {
        readonly name?: string;
        readonly containerPort: number;
        readonly protocol?: string;
      }[];
    }[];
  };
  readonly status: { readonly podIP?: string; readonly phase?: string };
}

export interface Namespace {
  readonly metadata: Metadata;
}

interface LivePod extends Pod {
  readonly address: string;
}

const directions = [
  { type: 'Ingress', rules: 'ingress', peers: 'from', own: 'daddr', other: 'saddr' },
  { type: 'Egress', rules: 'egress', peers: 'to', own: 'saddr', other: 'daddr' },
] as const;

/**
 * Returns the nftables rules that enforce network policies on a node that runs all pods. Covers selectors with
 * matchLabels, address blocks of IPv4, and ports by number and name. Connections from the node itself are always
 * allowed, because kubelet probes pods.
 */
export function networkRules(
  policies: readonly NetworkPolicy[],
  pods: readonly Pod[],
  namespaces: readonly Namespace[],
): string {
  const live = pods.flatMap((pod): LivePod[] => {
    const address = pod.status.podIP;
    const isLive = pod.status.phase === 'Running' || pod.status.phase === 'Pending';
    return address && isLive && !pod.spec.hostNetwork ? [{ ...pod, address }] : [];
  });
  const chains: string[] = [];
  const jumps = { Ingress: [] as string[], Egress: [] as string[] };
  for (const pod of live) {
    for (const { type, rules, peers, own, other } of directions) {
      const applied = policies.filter(
        ({ metadata, spec }) =>
          metadata.namespace === pod.metadata.namespace &&
          spec.policyTypes.includes(type) &&
          selects(spec.podSelector, pod.metadata.labels),
      );
      if (applied.length === 0) continue;
      const allowed = applied.flatMap(({ metadata, spec }) =>
        (spec[rules] ?? []).flatMap((rule) => {
          const targets = type === 'Ingress' ? [pod] : undefined;
          return peersOf(rule[peers] ?? [], metadata.namespace, live, namespaces).flatMap((peer) => {
            const addresses = peer.ranges.map((range) => `ip ${other} ${range} `).join('');
            return portsOf(rule.ports, targets ?? peer.pods).map((port) => `${addresses}${port}return`);
          });
        }),
      );
      const chain = `${type.toLowerCase()}_${pod.address.replaceAll('.', '_')}`;
      chains.push(`chain ${chain} { ${[...new Set(allowed), 'counter drop'].join('; ')}; }`);
      jumps[type].push(`ip ${own} ${pod.address} jump ${chain}`);
    }
  }
  const established = 'ct state established,related accept';
  const hook = (name: string, rules: readonly string[]) =>
    `chain ${name} { type filter hook ${name} priority 10; policy accept; ${[established, ...rules].join('; ')}; }`;
  return [
    'table inet policies',
    'delete table inet policies',
    'table inet policies {',
    ...chains,
    hook('forward', [...jumps.Egress, ...jumps.Ingress]),
    // Connections from a pod to the node.
    hook('input', jumps.Egress),
    '}',
    '',
  ].join('\n');
}

interface PeerMatch {
  /** Conditions that the address of the peer must all satisfy. */
  readonly ranges: readonly string[];
  /** Pods that define the named ports of an egress rule. */
  readonly pods: readonly LivePod[];
}

function peersOf(
  peers: readonly Peer[],
  policyNamespace: string | undefined,
  live: readonly LivePod[],
  namespaces: readonly Namespace[],
): PeerMatch[] {
  if (peers.length === 0) return [{ ranges: [], pods: live }];
  return peers.flatMap(({ ipBlock, namespaceSelector, podSelector }): PeerMatch[] => {
    // Pods of this node have no IPv6 addresses.
    if (ipBlock?.cidr.includes(':')) return [];
    if (ipBlock) {
      const { cidr, except = [] } = ipBlock;
      return [{ ranges: [cidr, ...except.map((range) => `!= ${range}`)], pods: [] }];
    }
    const chosen = namespaceSelector
      ? namespaces
          .filter(({ metadata }) => selects(namespaceSelector, metadata.labels))
          .map((each) => each.metadata.name)
      : [policyNamespace];
    return live
      .filter(({ metadata }) => chosen.includes(metadata.namespace) && selects(podSelector ?? {}, metadata.labels))
      .map((pod) => ({ ranges: [pod.address], pods: [pod] }));
  });
}

/** Returns one condition for each port; one empty condition if all ports are allowed. */
function portsOf(ports: readonly Port[] | undefined, targets: readonly LivePod[]): string[] {
  if (!ports || ports.length === 0) return [''];
  return ports.flatMap(({ port, protocol = 'TCP' }) => {
    const numbers = typeof port === 'number' ? [port] : targets.flatMap((pod) => named(pod, port, protocol));
    return [...new Set(numbers)].map((number) => `${protocol.toLowerCase()} dport ${number} `);
  });
}

function named(pod: LivePod, name: string, protocol: string): number[] {
  const ports = pod.spec.containers.flatMap((container) => container.ports ?? []);
  return ports
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => containerPort);
}

function selects({ matchLabels = {} }: Selector, labels: Labels = {}): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}
