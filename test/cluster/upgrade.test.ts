import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import { query } from './database.ts';
import { addRuntimeRoles, helm, type Installed, install, RELEASE, runHelm, waitUntilReplaced } from './installation.ts';
import { kubectl } from './kubernetes.ts';
import { UNNOTICED, underLoad } from './load.ts';
import { PREVIOUS, PREVIOUS_TAG } from './previous.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const namespace = 'tocsin-upgraded';
const outside = 'upgrades';

let receiver: Receiver;
let target: ClusterTarget;
let installed: Installed;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8003 });
  const values = {
    'global.image.tag': PREVIOUS_TAG,
    // The image with Chromium is not needed.
    'checker.image.repository': 'tocsin',
  };
  installed = await install({ namespace, charts: join(PREVIOUS, 'deploy', 'charts'), values, hasOneRole: true });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', namespace, outside, '--ignore-not-found');
});

test('during an upgrade that changes the schema and during a rollback, no request fails and no check or alert is lost', async () => {
  const upgrade = await underLoad('upgrade', installed, { target, receiver }, async () => {
    await helm(['upgrade'], { namespace });
    await waitUntilReplaced(namespace);
  });
  const rollback = await underLoad('rollback', installed, { target, receiver }, async () => {
    await runHelm(['rollback', RELEASE, '--namespace', namespace]);
    await waitUntilReplaced(namespace);
  });
  expect({ upgrade, rollback }).toMatchObject({ upgrade: UNNOTICED, rollback: UNNOTICED });
});

test('an upgrade gives each service a separate database role, and no request fails and no check is lost', async () => {
  const result = await underLoad('two database roles', installed, { target, receiver }, async () => {
    await addRuntimeRoles(namespace);
    await helm(['upgrade'], { namespace, values: { 'global.podAnnotations': { 'database-roles': 'two' } } });
    await waitUntilReplaced(namespace);
  });
  expect(result).toMatchObject(UNNOTICED);
  const roles = ['disruption', 'gateway', 'identity', 'monitor', 'notifier', 'statuspage'].map(
    (name) => `tocsin_${name}`,
  );
  const inUse = await query(
    namespace,
    "select distinct usename as role from pg_stat_activity where datname = 'tocsin' and pid <> pg_backend_pid() order by 1",
  );
  expect(inUse.map(({ role }) => role)).toEqual(roles);
  const owned = 'select relname from pg_class where relowner::regrole::text = any($1)';
  expect(await query(namespace, owned, [roles])).toEqual([]);
});
