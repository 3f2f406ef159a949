import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSentValues } from './sent-values.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

const resource = { id: 'c1', updated_at: '2026-11-20T10:00:00Z' };
const values = { url: 'https://hooks.example.com/s3cret', headers: { a: '1', b: '2' } };

test('has() returns true for values that were sent, until the values or the resource change', async () => {
  const env = { TOCSIN_CONFIG_DIR: folder };
  const sent = await openSentValues(env);
  expect(sent.has(resource, values)).toBe(false);
  sent.add(resource, values);
  await sent.save();
  const again = await openSentValues(env);
  expect(again.has(resource, { headers: { b: '2', a: '1' }, url: values.url })).toBe(true);
  expect(again.has(resource, { ...values, url: 'https://other.example' })).toBe(false);
  expect(again.has({ ...resource, updated_at: '2026-11-20T10:00:01Z' }, values)).toBe(false);
  expect(again.has({ ...resource, id: 'c2' }, values)).toBe(false);
});

test('the record contains no secret values, and only the user can read it', async () => {
  const sent = await openSentValues({ TOCSIN_CONFIG_DIR: folder });
  sent.add(resource, values);
  await sent.save();
  const file = join(folder, 'sent.json');
  expect(await readFile(file, 'utf8')).not.toContain('s3cret');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
