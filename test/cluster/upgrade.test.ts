import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import { helm, NAMESPACE, RELEASE, runHelm, waitUntilReady, waitUntilReplaced } from './installation.ts';
import { kubectl } from './kubernetes.ts';
import { underLoad } from './load.ts';
import { command } from './node/command.ts';
import { ROOT } from './node/folders.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const installed = inject('installed');
const outside = 'upgrades';

let receiver: Receiver;
let target: ClusterTarget;
let previous: string;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8003 });
  previous = await mkdtemp(join(tmpdir(), 'tocsin-cluster-'));
  // The charts before the last commit that changed them.
  const [commit] = (await command('git', ['log', '--format=%H', '-2', '--', 'deploy/charts'], { cwd: ROOT }))
    .trim()
    .split('\n')
    .slice(1);
  await command('sh', ['-c', `git archive ${commit} deploy/charts | tar -x -C ${previous}`], { cwd: ROOT });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await rm(previous, { recursive: true, force: true });
  await kubectl('delete', 'namespace', outside, '--ignore-not-found');
});

test('an upgrade from the charts of the previous commit, and a rollback, fail no request and lose no check', async () => {
  await helm(['upgrade'], { charts: join(previous, 'deploy', 'charts') });
  await waitUntilReady();
  const result = await underLoad(installed, { target, receiver }, async () => {
    // The changed annotation replaces every pod, even if the charts are the same.
    await helm(['upgrade'], { values: { 'global.podAnnotations': { generation: 'new' } } });
    await waitUntilReplaced();
    await runHelm(['rollback', RELEASE, '--namespace', NAMESPACE]);
    await waitUntilReplaced();
  });
  process.stdout.write(`upgrade and rollback: ${result.failures.length} of ${result.requests} requests failed\n`);
  expect(result).toMatchObject({ failures: [], lostChecks: [], alerts: [] });
  await helm(['upgrade']);
  await waitUntilReady();
});
