import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHelm, HELM } from '../charts/helm.ts';
import { openShop } from '../journeys/shop.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { apiOf, type Installed, install } from './installation.ts';
import { createRestrictedNamespace, kubectl } from './kubernetes.ts';
import { command } from './node/command.ts';
import { programEnvironment, ROOT } from './node/folders.ts';
import { Requester, repeat } from './requests.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const namespace = 'tocsin-restored';
const outside = 'restores';

/** Timeout for two rounds of checks. Rounds start every 30 seconds. */
const withinRounds = { timeoutMs: 90_000, intervalMs: 500 };

let receiver: Receiver;
let target: ClusterTarget;
let installed: Installed;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8006 });
  // The commands of the page must also stop programs with replicas or autoscaling of their own.
  const values = { 'gateway.replicas': 2, 'statuspage.autoscaling': { enabled: true, minReplicas: 1 } };
  installed = await install({ namespace, values });
  folder = await mkdtemp(join(tmpdir(), 'tocsin-restore-'));
  await symlink(join(ROOT, 'deploy'), join(folder, 'deploy'));
  await symlink(await buildHelm(HELM), join(folder, 'helm'));
  const config = JSON.parse(await readFile(programEnvironment.KUBECONFIG ?? '', 'utf8'));
  config.contexts[0].context.namespace = namespace;
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(config), { mode: 0o600 });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', namespace, outside, '--ignore-not-found');
  await rm(folder, { recursive: true, force: true });
});

/** Runs the first block of commands below a heading of the documentation. */
async function runDocumented(heading: string): Promise<void> {
  const page = await readFile(join(ROOT, 'docs', 'operations', 'backup-and-restore.md'), 'utf8');
  const [, script = ''] = page.split(`\n## ${heading}\n`)[1]?.match(/```sh\n(.*?)```/s) ?? [];
  expect(script).not.toBe('');
  const path = `${folder}:${programEnvironment.PATH}`;
  const env = { ...programEnvironment, PATH: path, KUBECONFIG: join(folder, 'kubeconfig') };
  await command('bash', ['-euo', 'pipefail', '-c', script], { env, cwd: folder });
}

/** A change that the API has acknowledged. */
interface Change {
  readonly name: string;
  readonly startedAt: number;
  readonly acknowledgedAt: number;
}

test('after a restore from a backup that was made under load, an installation has every change from before the backup', async () => {
  const api = apiOf(installed);
  const shop = await openShop({ api, baseUrl: installed.baseUrl }, target, receiver);
  const events = () => receiver.alerts(`/${shop.slug}/hook`).map(({ body }) => body.event);
  await eventually(async () => expect(await shop.state()).toBe('up'), withinRounds);
  await target.break();
  await eventually(() => expect(events()).toEqual(['monitor_down']), withinRounds);
  const secret = JSON.parse(await kubectl('get', 'secret', 'tocsin', '--namespace', namespace, '--output', 'json'));
  const { apiVersion, kind, type, data } = secret;
  const kept = { apiVersion, kind, type, metadata: { name: 'tocsin' }, data };
  await writeFile(join(folder, 'tocsin-secret.json'), JSON.stringify(kept), { mode: 0o600 });

  const requester = new Requester(installed, 0);
  const created: Change[] = [];
  const load = repeat(50, async (index) => {
    const startedAt = Date.now();
    const body = { name: `load ${index}`, check_type: 'http', enabled: false, config: { url: target.url } };
    const done = await requester.send({ method: 'POST', path: '/api/v1/monitors', body });
    if (done) created.push({ name: body.name, startedAt, acknowledgedAt: Date.now() });
  });
  await sleep(5_000);
  const backupBegan = Date.now();
  await runDocumented('Back up');
  const backupEnded = Date.now();
  await sleep(2_000);
  await load.stop();
  expect(requester.failures).toEqual([]);

  await kubectl('delete', 'namespace', namespace);
  await createRestrictedNamespace(namespace);
  const restoreBegan = performance.now();
  await runDocumented('Restore');
  const restoreSeconds = ((performance.now() - restoreBegan) / 1000).toFixed(0);

  // The API key from before the backup still works. The request is repeated, because name servers may cache a negative
  // response for 30 s.
  const restored = await eventually(() => api.get<{ name: string }[]>('/monitors?q=load&limit=1000'), withinRounds);
  const names = new Set(restored.map(({ name }) => name));
  const before = created.filter(({ acknowledgedAt }) => acknowledgedAt < backupBegan);
  const after = created.filter(({ startedAt }) => startedAt > backupEnded);
  expect(before.length).toBeGreaterThan(0);
  expect(after.length).toBeGreaterThan(0);
  expect(before.filter(({ name }) => !names.has(name))).toEqual([]);
  expect(after.filter(({ name }) => names.has(name))).toEqual([]);
  const seconds = `backup in ${backupEnded - backupBegan} ms, restored in ${restoreSeconds} s`;
  process.stdout.write(`${seconds}; ${names.size} of ${created.length} changes are in the backup\n`);

  // The outage from before the backup continues. Only its end is reported, because its beginning was reported before.
  expect(await shop.state()).toBe('down');
  expect(await shop.disruptions()).toMatchObject([{ auto_created: true, resolved_at: null }]);
  await target.repair();
  await eventually(() => expect(events()).toEqual(['monitor_down', 'monitor_recovered']), withinRounds);
  await eventually(async () => expect(await shop.page()).not.toContain('Major outage'));
  await target.break();
  await eventually(() => expect(events().at(-1)).toBe('monitor_down'), withinRounds);
  expect(events()).toEqual(['monitor_down', 'monitor_recovered', 'monitor_down']);
});
