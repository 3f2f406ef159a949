import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
  readonly context: BrowserContext;
}

const START_WITHIN_MS = 15_000;

/** Flags that block all network access except through the proxy, in addition to Playwright's own flags. */
const CLOSED = [
  '--disable-quic',
  '--no-pings',
  '--dns-prefetch-disable',
  // Only the proxy resolves names, because it vets their addresses.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-gpu',
];

export interface BrowserOptions {
  readonly executable: string;
  /** Whether to use Chromium's own sandbox. The sandbox needs user namespaces and a user other than root. */
  readonly sandbox: boolean;
  readonly proxyPort: number;
}

/**
 * Starts a browser with one empty context. The browser is controlled over a pipe, so that there is no debugging port.
 */
export async function openBrowser({ executable, sandbox, proxyPort }: BrowserOptions): Promise<OpenBrowser> {
  const browser = await chromium.launch({
    executablePath: executable,
    chromiumSandbox: sandbox,
    args: CLOSED,
    // Loopback addresses also go through the proxy.
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
