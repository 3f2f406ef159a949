import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Reply, runCommand, type SeenRequest, startFakeApi } from '../../test/harness.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
  file = join(folder, 'status.yaml');
});
afterEach(() => rm(folder, { recursive: true }));

const channel = (id: string) => ({
  id,
  name: '',
  type: 'ntfy',
  enabled: true,
  default_for_new_monitors: false,
  broken_at: null,
  fallback_channel_id: null,
  updated_at: '',
});

/** Returns the handler of an API that has only alert channels. The API refuses the channel with the name `refused`. */
function channelApi(refused = 'none') {
  const channels: ReturnType<typeof channel>[] = [];
  let changes = 0;
  return ({ method, path, body }: SeenRequest): Reply => {
    if (path === '/api/v1/me') return { body: { data: { limits: {} } } };
    if (method === 'GET') return { body: { data: path.startsWith('/api/v1/alert-channels') ? channels : [] } };
    const { config: _config, ...fields } = JSON.parse(body) as { name?: string; config?: object };
    if (fields.name === refused) {
      return { status: 422, body: { error: { type: 'validation_error', message: 'config.topic is taken' } } };
    }
    const existing = channels.find(({ id }) => id === path.split('/')[4]);
    changes += 1;
    const updated_at = new Date(Date.UTC(2026, 10, 20, 10, 0, changes)).toISOString();
    const changed = { ...(existing ?? channel(`c${channels.length}`)), ...fields, updated_at };
    if (existing) channels.splice(channels.indexOf(existing), 1);
    channels.push(changed);
    return { status: existing ? 200 : 201, body: { data: changed } };
  };
}

/** An existing page. */
const OLD = { id: 'old', name: 'Old', slug: 'old', components: [] };

const FILE = `alert_channels:
  - { name: A, type: ntfy, config: { topic: "\${TOPIC}" } }
  - { name: B, type: ntfy, config: { topic: b } }
`;

test('apply sends secret values again if they changed or their record is missing, but not if only another field changed', async () => {
  await using api = await startFakeApi(channelApi());
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder, TOPIC: 'a' };
  await writeFile(file, FILE);
  const apply = (more: NodeJS.ProcessEnv = {}) => runCommand(['apply', '-f', file], { ...env, ...more });
  expect(await apply()).toMatchObject({ code: 0, stdout: expect.stringContaining('2 changes made.') });
  expect(await apply()).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  const changed = await apply({ TOPIC: 'new' });
  expect(changed.stderr).toBe('');
  expect(changed.stdout).toContain('~ alert channel "A"\n    config: sent again');
  expect(changed.stdout).not.toContain('new');
  expect(await apply({ TOPIC: '' })).toMatchObject({
    stdout: 'No changes.\n',
    stderr: 'note: alert channel "A": its config stays as it is, because TOPIC is not set\n',
  });
  // When the command changes another field of the channel, it also updates the record of the secret values. Therefore
  // they are not sent again.
  await writeFile(file, FILE.replace('type: ntfy', 'type: ntfy, default_for_new_monitors: true'));
  const other = await apply({ TOPIC: 'new' });
  expect(other.stdout).toContain('default_for_new_monitors: false → true');
  expect(other.stdout).not.toContain('config');
  expect(await apply({ TOPIC: 'new' })).toMatchObject({ stdout: 'No changes.\n' });
  const elsewhere = await apply({ TOCSIN_CONFIG_DIR: join(folder, 'other') });
  expect(elsewhere.stdout).toContain('2 changes made.');
});

test('a change that the API refuses is reported with its line and column, and the next run makes the remaining changes', async () => {
  const answer = channelApi('B');
  let refuses = true;
  const allows = channelApi();
  await using api = await startFakeApi((request) => (refuses ? answer(request) : allows(request)));
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder, TOPIC: 'a' };
  await writeFile(file, FILE);
  const failed = await runCommand(['apply', '-f', file], env);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain(`${file}:3:5: alert_channels[1] was refused (422): config.topic is taken`);
  expect(failed.stderr).toContain('1 of 2 changes were made. Apply the file again to make the rest.');
  refuses = false;
  expect(await runCommand(['apply', '-f', file], env)).toMatchObject({ code: 0 });
});

test('an invalid file is refused before any request is sent', async () => {
  await using api = await startFakeApi(channelApi());
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder };
  await writeFile(file, `${FILE}monitors:\n  - { name: M, check_type: http, config: {} }\n`);
  const ran = await runCommand(['apply', '-f', file], env);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`${file}:5:42: monitors[0].config needs "url"`);
  expect(ran.stderr).toContain('refused with 1 error; nothing was changed');
  expect(api.requests).toEqual([]);
  await writeFile(file, FILE);
  const unset = await runCommand(['apply', '-f', file], env);
  expect(unset.stderr).toContain(`${file}:2:45: alert_channels[0].config.topic needs the environment variable TOPIC`);
  expect(api.requests.every(({ method }) => method === 'GET')).toBe(true);
});

test('with --validate, the API validates each change before the first one is made', async () => {
  let taken = ['B'];
  const answer = channelApi();
  await using api = await startFakeApi((request) => {
    if (!request.path.endsWith('?validate_only=true')) return answer(request);
    const { name } = JSON.parse(request.body) as { name: string };
    return taken.includes(name)
      ? { status: 422, body: { error: { type: 'validation_error', message: 'name is taken' } } }
      : { status: 204 };
  });
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder, TOPIC: 'a' };
  await writeFile(file, FILE);
  for (const command of ['plan', 'apply']) {
    const refused = await runCommand([command, '-f', file, '--validate'], env);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${file}:3:5: alert_channels[1] would be refused (422): name is taken`);
    expect(refused.stderr).toContain('refused with 1 error; nothing was changed');
  }
  const changes = api.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('?'));
  expect(changes).toEqual([]);
  taken = [];
  const applied = await runCommand(['apply', '-f', file, '--validate'], env);
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('2 changes made.') });
});

test('--validate leaves out references to resources that do not exist yet', async () => {
  await using api = await startFakeApi(({ method, path }) => {
    if (path === '/api/v1/me') return { body: { data: { limits: {} } } };
    if (path.startsWith('/api/v1/status-pages/old'))
      return method === 'GET' ? { body: { data: OLD } } : { status: 204 };
    if (path.startsWith('/api/v1/status-pages?limit')) return { body: { data: [OLD] } };
    return method === 'GET' ? { body: { data: [] } } : { status: 204 };
  });
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder };
  const more = `monitors:
  - { name: M, check_type: tcp, config: { host: a.example, port: 25 }, alert_channels: [B] }
status_pages:
  - { name: P, slug: page, components: [{ component: C, monitors: [M] }] }
  - { name: Old, slug: old, components: [{ component: C, monitors: [M] }] }
`;
  await writeFile(file, `alert_channels:\n  - { name: B, type: ntfy, config: { topic: b } }\n${more}`);
  expect(await runCommand(['plan', '-f', file, '--validate'], env)).toMatchObject({ code: 0 });
  const sent = api.requests.filter(({ method }) => method !== 'GET');
  expect(sent.map(({ path }) => path).toSorted()).toEqual([
    '/api/v1/alert-channels?validate_only=true',
    '/api/v1/monitors?validate_only=true',
    '/api/v1/status-pages/old/structure?validate_only=true',
    '/api/v1/status-pages?validate_only=true',
  ]);
  expect(JSON.parse(sent.find(({ method }) => method === 'PUT')?.body ?? '')).toMatchObject({
    components: [{ type: 'component', name: 'C', monitors: [] }],
  });
  expect(sent.map(({ body }) => body).join()).not.toContain('00000000-');
});

test('--validate stops after the first change if an older API makes that change instead of validating it', async () => {
  await using api = await startFakeApi(channelApi());
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder, TOPIC: 'a' };
  await writeFile(file, FILE);
  const ran = await runCommand(['apply', '-f', file, '--validate'], env);
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('older than this command') });
  expect(api.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
});

test('plan --json lists the changes, and with --exit-code the exit code shows whether there are changes', async () => {
  await using api = await startFakeApi(channelApi());
  const env = { TOCSIN_URL: api.url, TOCSIN_API_KEY: 'k', TOCSIN_CONFIG_DIR: folder, TOPIC: 'a' };
  await writeFile(file, FILE);
  const plan = ['plan', '-f', file, '--json'];
  const { code, stdout } = await runCommand(plan, env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    changes: ['A', 'B'].map((name) => ({ action: 'create', kind: 'alert_channel', name, fields: [] })),
    notes: [],
  });
  expect(await runCommand([...plan, '--exit-code'], env)).toMatchObject({ code: 5 });
  await runCommand(['apply', '-f', file], env);
  expect(await runCommand([...plan, '--exit-code'], env)).toMatchObject({ code: 0 });
});

test('a JSON Schema validator accepts and refuses the same files as apply', async () => {
  const { stdout } = await runCommand(['schema'], {});
  const validate = new Ajv2020({ strict: false, validateFormats: false, discriminator: false }).compile(
    JSON.parse(stdout),
  );
  expect(validate(parse(FILE))).toBe(true);
  expect(validate(parse(FILE.replace('ntfy', 'carrier-pigeon')))).toBe(false);
  expect(validate(parse(FILE.replace('name: A', 'nam: A')))).toBe(false);
});
