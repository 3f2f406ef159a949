import { type Netguard, wordsFor } from '@tocsin/netguard';
import { cutErrorText } from '@tocsin/text';
import type { LogoSource } from '../app/ports.ts';

const TIMEOUT_MS = 10_000;

/** Fetches logos only from addresses that checks and alerts may also reach. */
export function guardedLogos(guard: Netguard): LogoSource {
  return {
    async fetch(url, maxBytes) {
      try {
        const { status, body, truncated } = await guard.fetch(url, {
          headers: { 'user-agent': 'Tocsin', accept: 'image/*' },
          timeoutMs: TIMEOUT_MS,
          maxResponseBytes: maxBytes,
          bodyEncoding: 'latin1',
        });
        if (status !== 200) return { kind: 'failed', error: `the server returned ${status}` };
        if (truncated) return { kind: 'failed', error: `the file is larger than ${maxBytes / 1000} kB` };
        return { kind: 'fetched', content: Buffer.from(body, 'latin1') };
      } catch (error) {
        return { kind: 'failed', error: cutErrorText(describe(error, url)) };
      }
    },
  };
}

function describe(error: unknown, url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return 'the URL can not be read';
  const { hostname, port, protocol } = parsed;
  const host = hostname.replace(/^\[|\]$/g, '');
  return wordsFor(error, { host, port: Number(port) || (protocol === 'http:' ? 80 : 443), address: undefined });
}
