import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { admin, adminWith } from './admin.ts';
import { startFixture } from './fixture.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Issues a certificate with the operator command. Returns what it prints. */
async function issue(dir: string): Promise<{ folder: string; expires_at: string }> {
  const words = ['certificates', 'issue', '--dir', dir, '--name', 'tocsin', '--hosts', 'identity,monitor'];
  const { code, stdout, stderr } = await admin(dir, ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

test('the whole product works with TLS between its processes, even while the certificate is renewed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tocsin-certificates-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const { folder } = await issue(dir);
  const fixture = stack.use(await startFixture({ TOCSIN_TLS_DIR: folder }));
  const { network, target } = fixture;
  const shop = await fixture.openShop();
  await eventually(async () => expect(await shop.state()).toBe('up'));

  const { grpc, admin: ports } = network.installation.bootstrap;
  await expect(fetch(`http://${grpc.identity}/sign-in`)).rejects.toThrow();
  await expect(fetch(`https://${grpc.identity}/sign-in`)).rejects.toThrow();
  expect((await fetch(`${network.baseUrl}/sign-in`)).status).toBe(200);
  expect(await shop.page()).toContain('Operational');

  const words = ['org', 'create', '--name', 'Other', '--owner-email', 'other@example.com'];
  const env = { TOCSIN_DATA_DIR: network.dataDir };
  expect(await adminWith(env, ...words)).toMatchObject({ code: 1 });
  expect(await adminWith({ ...env, TOCSIN_TLS_DIR: folder }, ...words)).toMatchObject({ code: 0, stderr: '' });

  const expiry = async (name: string) => {
    const text = await (await fetch(`http://${ports[name]}/metrics`)).text();
    return Number(/^tocsin_tls_certificate_expires_seconds\S* (\S+)$/m.exec(text)?.[1]);
  };
  const before = await readFile(join(folder, 'tls.crt'), 'utf8');
  const failures: unknown[] = [];
  let isDone = false;
  let requests = 0;
  const load = (async () => {
    while (!isDone) {
      requests += 1;
      await network.api.get('/me').catch((error: unknown) => failures.push(error));
      await network.api.get('/monitors').catch((error: unknown) => failures.push(error));
    }
  })();
  const renewed = await issue(dir);
  expect(await readFile(join(folder, 'tls.crt'), 'utf8')).not.toBe(before);
  const seconds = Math.floor(Date.parse(renewed.expires_at) / 1_000);
  await eventually(
    async () => {
      for (const name of ['gateway', 'identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier'])
        expect(await expiry(name)).toBe(seconds);
    },
    { timeoutMs: 60_000 },
  );
  // Check that the services still work together with the new certificate.
  target.break();
  await shop.nudge();
  await eventually(async () => expect(await shop.disruptions()).toHaveLength(1), { timeoutMs: 60_000 });
  isDone = true;
  await load;
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(10);
});
