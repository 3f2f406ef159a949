import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
  readonly context: BrowserContext;
}

const START_WITHIN_MS = 15_000;

/** What closes every way out but the proxy, beside what Playwright sets anyway. */
const CLOSED = [
  '--disable-quic',
  '--no-pings',
  '--dns-prefetch-disable',
  // The proxy resolves names; a browser that resolved them itself could be given any address.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
];

export interface BrowserOptions {
  readonly executable: string;
  /** Chromium's own sandbox; it needs user namespaces, and a user that is not root. */
  readonly sandbox: boolean;
  readonly proxyPort: number;
}

/** A browser of its own with one empty context. It is driven over a pipe: no port for debugging is open. */
export async function openBrowser({ executable, sandbox, proxyPort }: BrowserOptions): Promise<OpenBrowser> {
  const browser = await chromium.launch({
    executablePath: executable,
    chromiumSandbox: sandbox,
    args: CLOSED,
    // Loopback goes through the proxy as everything else does.
    proxy: { server: `http://127.0.0.1:${proxyPort}`, bypass: '<-loopback>' },
    timeout: START_WITHIN_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const context = await browser.newContext({ acceptDownloads: false, viewport: { width: 1280, height: 720 } });
  context.setDefaultTimeout(10_000);
  return { browser, context, [Symbol.asyncDispose]: () => browser.close() };
}
