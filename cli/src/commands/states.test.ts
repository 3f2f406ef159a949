import { expect, test } from 'vitest';
import { runCommand, startFakeApi } from '../../test/harness.ts';

const monitor = (name: string, current_state: string, more: object = {}) => ({
  id: `0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e${name.length.toString().padStart(2, '0')}`,
  name,
  enabled: true,
  current_state,
  ...more,
});

test('wait-up ends when all monitors are up', async () => {
  let round = 0;
  await using api = await startFakeApi(({ path }) => {
    if (path.includes('?')) return { body: { data: [monitor('A', 'pending'), monitor('BB', 'up')] } };
    if (path.endsWith('01')) round += 1;
    const [name, state] = path.endsWith('01') ? ['A', round < 3 ? 'down' : 'up'] : ['BB', 'up'];
    return { body: { data: monitor(name, state) } };
  });
  const ran = await runCommand(['wait-up', 'A', 'BB'], { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' });
  expect(ran).toMatchObject({ code: 0, waits: [5_000, 5_000] });
});

test('wait-up ends with exit code 5 after its timeout, and lists the monitors that are not up', async () => {
  await using api = await startFakeApi(({ path }) => {
    const data = monitor('A', 'up', { enabled: false });
    return { body: { data: path.includes('?') ? [data] : data } };
  });
  const args = ['wait-up', 'A', '--timeout', '12s'];
  const ran = await runCommand(args, { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' });
  expect(ran).toMatchObject({ code: 5, waits: [5_000, 5_000, 2_000], stderr: 'A is disabled.\n' });
});

test('watch first prints a line for each monitor, and then a line for each change', async () => {
  const rounds = [
    [monitor('A', 'up'), monitor('BB', 'up')],
    [monitor('A', 'up'), monitor('BB', 'up')],
    [monitor('A', 'down'), monitor('BB', 'up')],
  ];
  await using api = await startFakeApi(() => {
    const data = rounds.shift();
    return data ? { body: { data } } : { status: 500, body: { error: { message: 'end' } } };
  });
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' };
  const { stdout } = await runCommand(['watch', '--json'], env);
  const changes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(changes).toMatchObject([
    { name: 'A', state: 'up', previous: null },
    { name: 'BB', state: 'up', previous: null },
    { name: 'A', state: 'down', previous: 'up' },
  ]);
});

test('a command exits with code 5 if a check fails', async () => {
  const result = { region: 'local', outcome: 'fail', error: 'status 502', status_code: 502, phases: { total: 12.4 } };
  await using api = await startFakeApi(() => ({ body: { data: [result] } }));
  const id = monitor('A', 'up').id;
  const ran = await runCommand(['monitors', 'check', id], { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' });
  expect(ran).toMatchObject({ code: 5, stdout: expect.stringMatching(/local +fail +502 +12 ms +status 502/) });
});
