import { expect, test } from 'vitest';
import { runCommand, startFakeApi } from '../../test/harness.ts';

const page = {
  id: '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f',
  name: 'Acme\u001b[2J',
  description: null,
  enabled: true,
  components: [{ name: 'Shop', description: 'a\nb\u001b[2J', monitors: [] }],
};

test('a resource is shown with one line per field, and nested values are indented below the name of their field', async () => {
  await using api = await startFakeApi(() => ({ body: { data: page } }));
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' };
  const { stdout } = await runCommand(['pages', 'get', page.id], env);
  expect(stdout).toBe(`id           ${page.id}
name         Acme\ufffd[2J
description  -
enabled      true
components
  - name: Shop
    description: "a\\nb\\e[2J"
    monitors: []
`);
  const { stdout: json } = await runCommand(['pages', 'get', page.id, '--json'], env);
  expect(JSON.parse(json)).toEqual(page);
});

test('filter options become query parameters of the list', async () => {
  await using api = await startFakeApi(() => ({ body: { data: [] } }));
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' };
  const ran = await runCommand(['monitors', 'list', '--check-type', 'http', '--q', 'a&b'], env);
  expect(ran).toMatchObject({ code: 0, stdout: '', stderr: 'There are no monitors.\n' });
  expect(api.requests[0]?.path).toBe('/api/v1/monitors?check_type=http&q=a%26b&limit=1000');
});

test('a maintenance with unknown components or invalid times is refused, and nothing is created', async () => {
  await using api = await startFakeApi(() => ({ body: { data: page } }));
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k' };
  const start = ['maintenance', 'start', 'Works', '--page', page.id];
  expect(await runCommand(start, env)).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') });
  expect(await runCommand([...start, '--component', 'Mail'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no component "Mail". It has: Shop.'),
  });
  const both = [...start, '--all', '--for', '1h', '--until', '2026-11-20T10:00:00Z'];
  expect(await runCommand(both, env)).toMatchObject({ code: 2, stderr: expect.stringContaining('--for or --until') });
  const time = [...start, '--all', '--at', 'tomorrow'];
  expect(await runCommand(time, env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--at must be a time'),
  });
  expect(api.requests.every(({ method }) => method === 'GET')).toBe(true);
});
