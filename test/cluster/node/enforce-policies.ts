/**
 * Enforces the network policies of the cluster, because none of the usual controllers is available from package
 * registries. Runs in the network of the node, and reads the API server twice a second.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command } from './command.ts';
import { programEnvironment, STATE } from './folders.ts';
import { type Namespace, type NetworkPolicy, networkRules, type Pod } from './network-rules.ts';

const { clusters, users } = JSON.parse(await readFile(join(STATE, 'kubeconfig'), 'utf8'));
const { server } = clusters[0].cluster;
const headers = { authorization: `Bearer ${users[0].user.token}` };

async function list<Item>(path: string): Promise<Item[]> {
  const response = await fetch(`${server}${path}`, { headers, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  const { items } = (await response.json()) as { items: Item[] };
  return items;
}

let last = '';
for (;;) {
  try {
    const rules = networkRules(
      await list<NetworkPolicy>('/apis/networking.k8s.io/v1/networkpolicies'),
      await list<Pod>('/api/v1/pods'),
      await list<Namespace>('/api/v1/namespaces'),
    );
    if (rules !== last) await command('nft', ['--file', '-'], { env: programEnvironment, input: rules });
    last = rules;
  } catch (error) {
    process.stdout.write(`${new Date().toISOString()} ${error}\n`);
  }
  await sleep(500);
}
