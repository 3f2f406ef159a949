import { command } from './node/command.ts';
import { programEnvironment, ROOT } from './node/folders.ts';

/** Runs kubectl and returns its output. */
export function kubectl(...args: string[]): Promise<string> {
  return command('kubectl', args, { env: programEnvironment, cwd: ROOT });
}

/** Creates or changes objects. */
export async function apply(...objects: readonly object[]): Promise<void> {
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  await command('kubectl', ['apply', '--filename', '-'], { env: programEnvironment, input });
}

/**
 * Asks the API server to end a pod, as `kubectl drain` does.
 * @throws Error if a disruption budget does not allow it.
 */
export async function evict(namespace: string, name: string): Promise<void> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const args = ['create', '--raw', path, '--filename', '-'];
  await command('kubectl', args, { env: programEnvironment, input: JSON.stringify(eviction) });
}

export interface PodStatus {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly podIP: string;
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly ready: boolean;
      readonly containerID: string;
    }[];
  };
}

/** Returns the pods that match a label selector. */
export async function podsOf(namespace: string, selector: string): Promise<PodStatus[]> {
  const list = await kubectl('get', 'pods', '--namespace', namespace, '--selector', selector, '--output', 'json');
  return JSON.parse(list).items;
}

/** Creates a namespace that accepts only pods that satisfy the Pod Security Standard "restricted". */
export async function createRestrictedNamespace(name: string): Promise<void> {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/enforce-version': 'latest',
  };
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}
