import { createHash, createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bucket, snapshotBucket } from '../src/clients/snapshot-bucket.ts';
import { snapshotDirectory } from '../src/clients/snapshot-directory.ts';

const html = (body: string | Buffer) => ({ contentType: 'text/html; charset=utf-8', body });

test('files are written to and deleted from a directory, and empty folders are removed', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-snapshots-'));
  try {
    const store = snapshotDirectory(join(root, 'new', 'pages'));
    expect(await store.list()).toEqual([]);
    await store.write('acme/history/2026-11.html', html('first'));
    await store.write('acme/history/2026-11.html', html('second'));
    await store.write('acme/index.html', html(Buffer.from([0, 255])));
    await store.write('alive.json', html('{}'));
    expect((await store.list()).sort()).toEqual(['acme/history/2026-11.html', 'acme/index.html', 'alive.json']);
    const pages = join(root, 'new', 'pages');
    expect(await readFile(join(pages, 'acme/history/2026-11.html'), 'utf8')).toBe('second');
    expect([...(await readFile(join(pages, 'acme/index.html')))]).toEqual([0, 255]);
    await store.delete('acme/history/2026-11.html');
    await store.delete('acme/history/2026-11.html');
    expect(await readdir(join(pages, 'acme'))).toEqual(['index.html']);
    await store.delete('acme/index.html');
    expect(await readdir(pages)).toEqual(['alive.json']);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a reader of a directory never sees a partial file, and temporary files of a killed process are deleted', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tocsin-snapshots-'));
  try {
    const store = snapshotDirectory(root);
    await mkdir(join(root, 'acme'));
    await writeFile(join(root, '.tocsin-1234.tmp'), 'half');
    await store.list();
    expect(await readdir(root)).toEqual(['acme']);
    const texts = ['a', 'b'].map((letter) => letter.repeat(2_000_000));
    await store.write('acme/index.html', html(texts[0] ?? ''));
    const writing = (async () => {
      for (let count = 0; count < 20; count += 1) await store.write('acme/index.html', html(texts[count % 2] ?? ''));
      return 'done';
    })();
    for (let isDone = false; !isDone; ) {
      expect(texts.includes(await readFile(join(root, 'acme/index.html'), 'utf8'))).toBe(true);
      isDone = (await Promise.race([writing, Promise.resolve('')])) === 'done';
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG', region: 'eu-central-1' };
const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * Returns whether a request is signed as Amazon S3 requires. Follows the published algorithm, independently of the
 * library: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
function isSigned({ method, url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const [, day = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\d{8})\/eu-central-1\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const { pathname, searchParams } = new URL(url, 'http://x');
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const payload = String(headers['x-amz-content-sha256']);
  const names = signed.split(';');
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hex(body)) return false;
  // The signature must cover the body and these headers. Otherwise the request could be modified in transit.
  if (method === 'PUT' && payload === 'UNSIGNED-PAYLOAD') return false;
  if (!['host', 'x-amz-date'].every((name) => names.includes(name))) return false;
  const canonical = [
    method,
    pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    payload,
  ].join('\n');
  const scope = `${day}/eu-central-1/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hex(canonical)].join('\n');
  const key = ['eu-central-1', 's3', 'aws4_request'].reduce<Buffer>(
    hmac,
    hmac(`AWS4${CREDENTIALS.secretAccessKey}`, day),
  );
  return hmac(key, text).toString('hex') === signature;
}

/** Objects of the bucket, by their key. */
const objects = new Map<string, { body: Buffer; type: string | undefined; cache: string | undefined }>();
const PAGE = 2;

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const url = new URL(request.url ?? '', 'http://x');
  if (!isSigned(request, body)) return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
  const key = url.pathname.replace(/^\/snapshots\/?/, '');
  if (request.method === 'PUT') {
    objects.set(key, { body, type: request.headers['content-type'], cache: request.headers['cache-control'] });
    return response.writeHead(200).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return response.writeHead(204).end();
  }
  const from = Number(/^from=(\d+)&<>$/.exec(url.searchParams.get('continuation-token') ?? '')?.[1] ?? 0);
  const keys = [...objects.keys()].filter((one) => one.startsWith(url.searchParams.get('prefix') ?? '')).sort();
  const isLast = from + PAGE >= keys.length;
  const contents = keys.slice(from, from + PAGE).map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`);
  const next = isLast ? '' : `<NextContinuationToken>from=${from + PAGE}&amp;&lt;&gt;</NextContinuationToken>`;
  return response.end(`<?xml version="1.0"?><ListBucketResult>${contents.join('')}${next}</ListBucketResult>`);
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/snapshots`;
});
afterAll(() => {
  server.close();
});

const bucket = (changes: Partial<Bucket> = {}) => snapshotBucket({ url, ...CREDENTIALS, ...changes });

test.each(['', '/deep/prefix'])('files are written to, listed in and deleted from a bucket%s', async (prefix) => {
  objects.clear();
  objects.set('elsewhere', { body: Buffer.from(''), type: undefined, cache: undefined });
  const store = bucket({ url: url + prefix });
  const keys = [
    'acme/api/v2/summary.json',
    'acme/history/2026-11.html',
    'acme/index.html',
    'alive.json',
    'b-1/badge.svg',
  ];
  for (const key of keys) await store.write(key, html(`${key} ÄÖ`));
  const whole = `${prefix.slice(1)}${prefix && '/'}acme/index.html`;
  expect(objects.get(whole)).toEqual({
    body: Buffer.from('acme/index.html ÄÖ'),
    type: 'text/html; charset=utf-8',
    cache: 'public, max-age=0, s-maxage=15, stale-if-error=86400',
  });
  expect(await store.list()).toEqual(prefix ? keys : [...keys, 'elsewhere'].sort());
  await store.write('acme/badge.svg', html(Buffer.from([0, 255, 10])));
  expect([...(objects.get(whole.replace('index.html', 'badge.svg'))?.body ?? [])]).toEqual([0, 255, 10]);
  for (const key of [...keys, 'acme/badge.svg', 'acme/badge.svg']) await store.delete(key);
  expect([...objects.keys()]).toEqual(['elsewhere']);
});

test('a bucket that refuses requests or does not exist causes an error that contains no secret', async () => {
  const refused = bucket({ secretAccessKey: 'another' });
  await expect(refused.write('acme/index.html', html('x'))).rejects.toThrow('the bucket returned 403 to PUT');
  await expect(refused.list()).rejects.toThrow('the bucket returned 403 to GET');
  await expect(refused.delete('acme/index.html')).rejects.toThrow('the bucket returned 403 to DELETE');
  await expect(bucket({ url: 'http://127.0.0.1:9/x' }).list()).rejects.toThrow();
});
