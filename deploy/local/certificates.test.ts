import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { issueCertificate } from './certificates.ts';

const folder = await mkdtemp(join(tmpdir(), 'tocsin-authority-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const now = new Date('2026-11-23T12:00:00Z');
const options = { folder, name: 'identity', hosts: ['identity', 'localhost', '127.0.0.1', '::1'], days: 90, now };
const read = async (...path: string[]) => new X509Certificate(await readFile(join(folder, ...path), 'utf8'));

test("a certificate is signed by the folder's authority, and valid only for its hosts and days", async () => {
  const issued = await issueCertificate(options);
  expect(issued).toEqual({
    folder: join(folder, 'identity'),
    hosts: options.hosts,
    expiresAt: new Date('2027-02-21T12:00:00Z'),
  });
  const [authority, own] = [await read('ca.crt'), await read('identity', 'tls.crt')];
  expect([authority.ca, own.ca, own.verify(authority.publicKey)]).toEqual([true, false, true]);
  expect(own.checkHost('identity')).toBe('identity');
  expect(own.checkHost('monitor')).toBeUndefined();
  expect([own.checkIP('127.0.0.1'), own.checkIP('127.0.0.2')]).toEqual(['127.0.0.1', undefined]);
  expect(own.validToDate).toEqual(issued.expiresAt);
  for (const key of [join(folder, 'ca.key'), join(issued.folder, 'tls.key')])
    expect((await stat(key)).mode & 0o777).toBe(0o600);
});

test('all certificates of a folder are issued by the same authority, and issuing fails when this authority has expired', async () => {
  await issueCertificate(options);
  const before = await read('ca.crt');
  await issueCertificate({ ...options, name: 'monitor' });
  expect((await read('ca.crt')).fingerprint256).toBe(before.fingerprint256);
  expect((await read('monitor', 'ca.crt')).fingerprint256).toBe(before.fingerprint256);
  const late = new Date(before.validToDate.getTime());
  await expect(issueCertificate({ ...options, now: late })).rejects.toThrow('has expired');
});

test.each([1, 825])('a certificate can be valid for %i days', async (days) => {
  await expect(issueCertificate({ ...options, days })).resolves.toBeDefined();
});

test.each<[object, string]>([
  [{ days: 0 }, '--days should be a whole number from 1 to 825.'],
  [{ days: 826 }, '--days should be a whole number from 1 to 825.'],
  [{ days: Number.NaN }, '--days should be a whole number from 1 to 825.'],
  [{ name: '../identity' }, '--name should be lowercase letters, digits and hyphens, at most 63.'],
  [{ name: 'a'.repeat(64) }, '--name should be lowercase letters, digits and hyphens, at most 63.'],
  [{ hosts: ['a b'] }, '--hosts has "a b", which is no host name or address.'],
])('the invalid options %o are refused with a message that names the option', async (wrong, message) => {
  await expect(issueCertificate({ ...options, ...wrong })).rejects.toThrow(message);
});
