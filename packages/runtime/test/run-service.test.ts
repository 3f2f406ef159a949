import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, freePort } from '@tocsin/testing';
import { expect, test } from 'vitest';

/** Runs the sample service in a separate process. */
function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sample-service.ts')], { env, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const messages = () =>
    output.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).msg);
  return { child, output, ended, messages, [Symbol.dispose]: () => child.kill('SIGKILL') };
}

test.each(['SIGTERM', 'SIGINT'] as const)('a service that gets %s drains and exits with code 0', async (signal) => {
  const port = await freePort();
  using service = run({ TOCSIN_ADMIN_PORT: String(port) });
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
  service.child.kill(signal);
  expect(await service.ended).toBe(0);
  expect(service.messages()).toEqual(['started', 'stopping', 'drained', 'stopped']);
});

test.each([
  ['ends well if its work ends within TOCSIN_DRAIN_S', '2', 0, ['started', 'stopping', 'drained', 'stopped']],
  ['is forced to exit if its work takes longer', '1', 1, ['started', 'stopping']],
])('after SIGTERM, a service %s', async (_name, drainSeconds, code, messages) => {
  const port = await freePort();
  using service = run({ TOCSIN_ADMIN_PORT: String(port), TOCSIN_DRAIN_S: drainSeconds, TOCSIN_WORK_MS: '1500' });
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(code);
  expect(service.messages()).toEqual(messages);
});

test('all errors in a configuration are reported, and the service does not start', async () => {
  using service = run({ TOCSIN_ADMIN_PORT: 'many', TOCSIN_FAILURE: 'sometimes' });
  expect(await service.ended).toBe(1);
  expect(service.output.stdout).toBe('');
  expect(service.output.stderr).toBe(
    "sample can't start, its configuration is wrong:\n" +
      'TOCSIN_ADMIN_PORT: must be a whole number from 0 to 65535\n' +
      'TOCSIN_FAILURE: must be one of none, start, later\n',
  );
});

test('a service that fails to start logs the reason and ends', async () => {
  using service = run({ TOCSIN_ADMIN_PORT: '0', TOCSIN_FAILURE: 'start' });
  expect(await service.ended).toBe(1);
  expect(service.messages()).toEqual(["can't start: the port is taken", 'stopping', 'stopped']);
});

test('an uncaught error is logged, and the service drains and ends with an error code', async () => {
  using service = run({ TOCSIN_ADMIN_PORT: '0', TOCSIN_FAILURE: 'later' });
  expect(await service.ended).toBe(1);
  expect(service.messages()).toEqual(expect.arrayContaining(['uncaught exception', 'stopping', 'drained', 'stopped']));
});
