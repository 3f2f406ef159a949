import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import {
  COMPONENTS,
  NAMESPACE,
  podsOfComponent,
  RELEASE,
  scale,
  waitUntilReady,
  waitUntilReplaced,
} from './installation.ts';
import { kubectl, podsOf } from './kubernetes.ts';
import { UNNOTICED, underLoad } from './load.ts';
import { controlGroups } from './node/cluster.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const installed = inject('installed');
const outside = 'restarts';

let receiver: Receiver;
let target: ClusterTarget;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8002 });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', outside, '--ignore-not-found');
});

test('during a rolling restart of every component, no request fails and no check is lost', async () => {
  const result = await underLoad('rolling restart', installed, { target, receiver, hasSlowTarget: true }, async () => {
    for (const name of COMPONENTS) {
      await kubectl('rollout', 'restart', `deployment/${RELEASE}-${name}`, '--namespace', NAMESPACE);
      await waitUntilReady();
    }
    await waitUntilReplaced();
  });
  expect(result).toMatchObject(UNNOTICED);
});

test('each program ends by itself after SIGTERM, before the end of its grace period', async () => {
  const ended = COMPONENTS.map(async (name) => {
    const [pod] = await podsOfComponent(NAMESPACE, name);
    if (!pod) throw new Error(`no pod of ${name}`);
    const began = performance.now();
    await kubectl('delete', 'pod', pod.metadata.name, '--namespace', NAMESPACE);
    const seconds = (performance.now() - began) / 1000;
    process.stdout.write(`${name} ended in ${seconds.toFixed(1)} s\n`);
    // The preStop hook takes 35 s. After SIGTERM, the program has 20 s to finish its work before it is forced to exit.
    expect(seconds).toBeLessThan(55);
  });
  await Promise.all(ended);
  await waitUntilReady();
});

describe('with two replicas of each component', () => {
  beforeAll(() => scale(2));
  afterAll(() => scale(1));

  test('if a container is killed, no check is lost, and clients that retry for up to two seconds see no failed request', async () => {
    const result = await underLoad('kill -9', installed, { target, receiver, retries: 20 }, async () => {
      for (const name of COMPONENTS) {
        await killContainerOf(`app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=${name}`);
      }
    });
    expect(result).toMatchObject(UNNOTICED);
  });
});

test('if PostgreSQL and NATS are killed, no alert is lost and no false alert is sent', async () => {
  const result = await underLoad('kill -9 of servers', installed, { target, receiver, retries: 600 }, async () => {
    for (const name of ['postgres', 'nats']) await killContainerOf(`app.kubernetes.io/name=tocsin-${name}`);
    await waitUntilReady();
  });
  // Only alerts are verified, because rounds may be missed and requests may fail while PostgreSQL is down.
  expect(result).toMatchObject({ wrongAlerts: [], falseAlarms: [] });
});

/** Kills the container of the first pod that matches a label selector, and waits until the pod is ready again. */
async function killContainerOf(selector: string): Promise<void> {
  const [pod] = await podsOf(NAMESPACE, selector);
  const [container] = pod?.status.containerStatuses ?? [];
  if (!pod || !container) throw new Error(`no container of ${selector}`);
  await killContainer(container.containerID.replace('containerd://', ''));
  const restarted = [{ ready: true, restartCount: container.restartCount + 1 }];
  await eventually(
    async () => {
      const again = (await podsOf(NAMESPACE, selector)).find(({ metadata }) => metadata.name === pod.metadata.name);
      expect(again?.status.containerStatuses).toMatchObject(restarted);
    },
    { timeoutMs: 90_000, intervalMs: 250 },
  );
}

/** Kills the processes of a container from the host, because a container can't kill its own first process. */
async function killContainer(id: string): Promise<void> {
  const [groups = ''] = await controlGroups();
  const files = (await readdir(groups, { recursive: true })).filter((name) => name.endsWith(`${id}/cgroup.procs`));
  const [file] = files;
  if (file === undefined) throw new Error(`container ${id} has no control group`);
  for (const pid of (await readFile(join(groups, file), 'utf8')).trim().split('\n'))
    process.kill(Number(pid), 'SIGKILL');
}
