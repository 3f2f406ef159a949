import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import { COMPONENTS, NAMESPACE, podsOfComponent, scale, waitUntilReplaced } from './installation.ts';
import { evict, kubectl } from './kubernetes.ts';
import { UNNOTICED, underLoad } from './load.ts';
import { NODE_NAME } from './node/configuration.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const installed = inject('installed');
const outside = 'drains';

let receiver: Receiver;
let target: ClusterTarget;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8005 });
  await scale(2);
});
afterAll(async () => {
  await kubectl('uncordon', NODE_NAME);
  await scale(1);
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', outside, '--ignore-not-found');
});

test('while a node is drained and each component has two replicas, no request fails and no check or alert is lost', async () => {
  const replicas = new Map<string, [string, string]>();
  for (const name of COMPONENTS) {
    const [first, second] = (await podsOfComponent(NAMESPACE, name)).map(({ metadata }) => metadata.name);
    if (first === undefined || second === undefined) throw new Error(`${name} does not have two pods`);
    replicas.set(name, [first, second]);
  }
  const result = await underLoad('drain', installed, { target, receiver, hasSlowTarget: true }, async () => {
    await kubectl('cordon', NODE_NAME);
    for (const [first] of replicas.values()) await evict(NAMESPACE, first);
    // While no node accepts new pods, the disruption budgets must prevent the eviction of the remaining pods.
    for (const [, second] of replicas.values()) {
      await expect(evict(NAMESPACE, second)).rejects.toThrow('disruption budget');
    }
    await kubectl('uncordon', NODE_NAME);
    await waitUntilReplaced();
    for (const [, second] of replicas.values()) await evict(NAMESPACE, second);
    await waitUntilReplaced();
  });
  expect(result).toMatchObject(UNNOTICED);
});
