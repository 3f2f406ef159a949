import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { SnapshotFile, SnapshotStore } from '../app/ports.ts';

/** An S3-compatible bucket. */
export interface Bucket {
  /** URL of the bucket in path style, with an optional prefix for all keys: `https://host/bucket/prefix`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const TIMEOUT_MS = 10_000;

/** Shared caches may serve a file for a short time, and longer while the bucket is unavailable (RFC 5861). */
const CACHE_CONTROL = 'public, max-age=0, s-maxage=15, stale-if-error=86400';

/** Stores snapshots in a bucket. An object is replaced as a whole. */
export function snapshotBucket({ url, region, ...credentials }: Bucket): SnapshotStore {
  // The writer repeats failed requests later, with a backoff.
  const client = new AwsClient({ ...credentials, region, service: 's3', retries: 0 });
  const { origin, pathname } = new URL(url);
  const [bucket = '', ...more] = pathname.split('/').filter((part) => part !== '');
  const prefix = more.map((part) => `${part}/`).join('');

  async function send(method: string, target: string, file?: SnapshotFile): Promise<Response> {
    const headers = file && {
      'content-type': file.contentType,
      'cache-control': CACHE_CONTROL,
      'x-amz-content-sha256': createHash('sha256').update(file.body).digest('hex'),
    };
    const body = file && (typeof file.body === 'string' ? file.body : new Uint8Array(file.body));
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await client.fetch(`${origin}/${bucket}${target}`, {
      method,
      signal,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    });
    if (response.ok || (method === 'DELETE' && response.status === 404)) return response;
    await response.body?.cancel();
    throw new Error(`the bucket returned ${response.status} to ${method}`);
  }

  return {
    async list() {
      const keys: string[] = [];
      for (let token = ''; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) });
        const text = await (await send('GET', `?${query}`)).text();
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(key.slice(prefix.length));
        token = unescapeXml(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '');
        if (token === '') return keys;
      }
    },
    async write(key, file) {
      await (await send('PUT', `/${prefix}${key}`, file)).body?.cancel();
    },
    async delete(key) {
      await (await send('DELETE', `/${prefix}${key}`)).body?.cancel();
    },
  };
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
